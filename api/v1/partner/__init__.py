"""The partner API: `/api/v1/partner/…`, with keys of partners (ck_partner_…)."""
