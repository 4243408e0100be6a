"""The loyalty pages, and the demo data that they show."""

from restaurant.loyalty import coupons, rewards

LOYAL = {
    "loyalty": "/loyalty",
    "rewards": "/loyalty/rewards",
    "reward-new": "/loyalty/rewards/new",
    "reward": "/loyalty/rewards/{reward}",
    "reward-remove": "/loyalty/rewards/{reward}/remove",
    "coupons": "/loyalty/coupons",
    "coupons-none": "/loyalty/coupons?q=nothing-like-it",
    "coupon-new": "/loyalty/coupons/new",
    "coupon": "/loyalty/coupons/{coupon}",
    "coupon-used": "/loyalty/coupons/{coupon_used}",
    "members": "/loyalty/members",
    "members-none": "/loyalty/members?q=nobody-like-it",
    "loyal-member": "/loyalty/members/{loyal}",
    "loyalty-messages": "/loyalty/messages",
}


def loyalty_ids() -> dict[str, object]:
    used = coupons.listed(coupons.CouponFilters(state="used"), None, 1)[0]
    return {
        "reward": rewards.listed()[0].id,
        "coupon": coupons.listed(coupons.CouponFilters(state="open"), None, 1)[0].id,
        "coupon_used": used.id,
        "loyal": used.contact_id,
    }
