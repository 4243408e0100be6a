from random import Random

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.values import phone as phone_values
from core.values.phone import (
    BadPhone,
    check_phone,
    display_phone,
    mask_phone,
    mask_text,
    normalize_phone,
    normalize_strict,
    phone_country,
    phone_variants,
)


@pytest.mark.parametrize(
    "phone",
    [
        "905321112233",
        "12025550123",
        "390612345678",
        "447911123456",
        "5511987654321",
        "551187654321",
        "525512345678",
        "5215512345678",
        "5491123456789",
        "541123456789",
        "88213123456",
    ],
)
def test_a_phone_is_given_back_as_it_came(phone):
    assert check_phone(phone) == phone


def example_mobiles():
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        number = phonenumbers.example_number_for_type(region, phonenumbers.PhoneNumberType.MOBILE)
        if number is not None:
            yield region, number, phonenumbers.format_number(number, 0).removeprefix("+")


def test_a_mobile_of_every_country_is_a_phone():
    checked = 0
    for region, number, digits in example_mobiles():
        if len(digits) < 8:  # a few islands, whose numbers are shorter than the API's 8 digits
            with pytest.raises(BadPhone):
                check_phone(digits)
            continue
        assert check_phone(digits) == digits
        assert normalize_phone(phonenumbers.format_number(number, 2), region) == digits
        assert normalize_phone(phonenumbers.format_number(number, 1)) == digits
        checked += 1
    assert checked > 230


@pytest.mark.parametrize(
    "text",
    [
        "+905321112233",
        "+90 532 111 22 33",
        "90 532 111 22 33",
        "90-532-111-22-33",
        "+90 (532) 111.22.33",
        "00905321112233",
        "0090 532 111 22 33",
        "9005321112233",
        " 905321112233",
        "905321112233\n",
        "٩٠٥٣٢١١١٢٢٣٣",
        "tel:+905321112233",
    ],
)
def test_a_wrong_form_is_refused_with_the_right_one(text):
    with pytest.raises(BadPhone) as caught:
        check_phone(text)
    assert caught.value.suggestion == "905321112233"
    assert str(caught.value) == "phone must be digits only, country code first: 905321112233"
    assert caught.value.code == "invalid_phone"


def test_a_national_form_is_corrected_only_when_the_country_is_known():
    with pytest.raises(BadPhone) as caught:
        check_phone("05321112233")
    assert caught.value.suggestion is None
    with pytest.raises(BadPhone) as caught:
        check_phone("05321112233", region="TR")
    assert caught.value.suggestion == "905321112233"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "digits only"),
        ("hello", "digits only"),
        ("0", "digits only"),
        ("90532", "8 to 15 digits"),
        ("1234567890123456", "8 to 15 digits"),
        ("90532111", "too short for country code 90"),
        ("120255501234", "too long for country code 1"),
        ("99912345678", "digits only"),
        ("905321112233x", "digits only"),
        ("+1-800-FLOWERS", "digits only"),
        ("905321112233,905321112234", "digits only"),
        ("9" * 300, "8 to 15 digits"),
    ],
)
def test_what_is_no_phone(text, words):
    with pytest.raises(BadPhone, match=words) as caught:
        check_phone(text)
    assert caught.value.suggestion is None


@given(st.text(max_size=20) | st.from_regex(r"\+?[0-9 ()\-]{0,25}", fullmatch=True))
def test_any_text_is_a_phone_or_refused(text):
    try:
        phone = check_phone(text)
    except BadPhone as error:
        if error.suggestion:
            check_phone(error.suggestion)
    else:
        assert phone == text
        assert phone.isascii()
        assert phone.isdigit()


@pytest.mark.parametrize(
    ("text", "region", "phone"),
    [
        ("0532 111 22 33", "TR", "905321112233"),
        ("532 111 22 33", "TR", "905321112233"),
        ("905321112233", "TR", "905321112233"),
        ("+90 532 111 22 33", "DE", "905321112233"),
        ("00905321112233", "DE", "905321112233"),
        ("(202) 555-0123", "US", "12025550123"),
        ("(202) 555-0123", "us", "12025550123"),
        ("905321112233", "DE", "905321112233"),
        ("06 1234 5678", "IT", "390612345678"),
        ("+44 (0)20 7946 0958", None, "442079460958"),
        ("0532 111 22 33", None, None),
        ("", "TR", None),
        ("none", "TR", None),
        ("123", "TR", None),
        ("0532 111 22 33", "ZZ", None),
    ],
)
def test_stores_and_forms_write_numbers_in_their_own_way(text, region, phone):
    assert normalize_phone(text, region) == phone


def test_the_country_of_a_number():
    assert phone_country("905321112233") == "TR"
    assert phone_country("12025550123") == "US"
    assert phone_country("14165550123") == "CA"
    assert phone_country("77011234567") == "KZ"
    assert phone_country("5215512345678") == "MX"
    assert phone_country("88213123456") is None
    assert phone_country("") is None


def test_a_number_for_people():
    assert display_phone("905321112233") == "+90 532 111 22 33"
    assert display_phone("5215512345678") == "+52 55 1234 5678"
    assert display_phone("99912345678") == "+99912345678"


def test_a_masked_number_shows_its_last_two_digits():
    assert mask_phone("905321112233") == "**********33"
    assert mask_phone("+90 532 111 22 33") == "+** *** *** ** 33"
    assert mask_phone("12") == "12"
    assert mask_phone("") == ""


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("sent to 905321112233.", "sent to **********33."),
        ("sent to +90 532 111 22 33 and (202) 555-0123",
         "sent to +** *** *** ** 33 and (***) ***-**23"),
        ("905321112233@s.whatsapp.net", "**********33@s.whatsapp.net"),
        ("to=905321112233&x=1", "to=**********33&x=1"),
        ('{"phone":"905321112233"}', '{"phone":"**********33"}'),
        ("wa905321112233x", "wa**********33x"),
        ("+90\u00a0532\u00a0111\u00a022\u00a033", "+**\u00a0***\u00a0***\u00a0**\u00a033"),
        ("+90.532.111.22.33", "+**.***.***.**.33"),
        ("٩٠٥٣٢١١١٢٢٣٣", "**********٣٣"),
        ("a 905321112233, b 905321112244", "a **********33, b **********44"),
    ],
)  # fmt: skip
def test_phones_in_a_log_line_are_masked(text, masked):
    assert mask_text(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "",
        "took 1234567 ms",
        "at 2026-03-01T10:00:00.123456Z",
        "at 2026-03-01 10:00:00+03:00 from 192.168.100.200",
        "on 2026-03-01",
        "row 01890a5d-ac96-774b-bcce-b302099a8057",
        "row 12345678-1234-1234-1234-123456789012",
        "id msg_01H455VB400000000000084502",
        "order 12\n3456\n789012",
    ],
)
def test_the_rest_of_a_log_line_stays_readable(text):
    assert mask_text(text) == text


@given(st.from_regex(r"[1-9][0-9]{7,14}", fullmatch=True), st.sampled_from(["", " ", "-", ". "]))
def test_no_phone_gets_through_whole(phone, gap):
    if gap:
        assert phone[:-2] not in mask_text(f"x {gap.join(phone)} y").replace(gap, "")
    assert phone not in mask_text(f"call {phone} now")


@pytest.mark.parametrize(
    "same",
    [
        {"5511987654321", "551187654321"},
        {"525512345678", "5215512345678"},
        {"541123456789", "5491123456789"},
        {"905321112233"},
        {"551133334444"},
        {"12025550123"},
    ],
)
def test_the_same_phone_in_the_networks_other_words(same):
    for phone in same:
        assert phone_variants(phone) == same


@pytest.mark.parametrize(
    ("written", "region", "digits"),
    [
        ("0532 111 22 33", "TR", "905321112233"),
        ("+1 123 123 1234", "CA", None),  # written with its country code
        ("123-123-1234", "CA", None),  # no such area code: a national number must be valid
        ("555-555-SHIP", "US", None),
        ("0532 111 22 33", None, None),
        ("", "TR", None),
    ],
)
def test_a_number_nobody_can_correct_must_be_one_that_is_given_out(written, region, digits):
    assert normalize_strict(written, region) == digits


@pytest.mark.parametrize(
    ("written", "region"),
    [
        ("536-297-3865", "MX"),
        ("536-297-3865", "US"),
        ("5362973865", "MX"),
        ("4915112345678", "TR"),
    ],
)
def test_national_digits_are_never_read_as_a_number_of_another_country(written, region):
    assert normalize_strict(written, region) is None
    assert not (normalize_phone(written, region) or "").startswith("536")


@pytest.mark.parametrize(
    "written", ["+7 (800) 55-35-35-55", "+1 187 215 5230", "+900532 111 22 33", "007 80055353555"]
)
def test_an_international_number_must_exist_and_keeps_all_its_digits(written):
    assert normalize_strict(written, "TR") is None


@pytest.mark.parametrize(
    ("written", "region", "digits"),
    [
        ("+7 800 555-35-35", "TR", "78005553535"),
        ("+44 (0)20 7946 0958", "TR", "442079460958"),
        ("4915123456789", "DE", "4915123456789"),
        ("905321112233", "TR", "905321112233"),
        ("+55 11 8765-4321", "BR", "551187654321"),
    ],
)
def test_a_number_that_exists_is_read_as_it_is_written(written, region, digits):
    assert normalize_strict(written, region) == digits


def test_the_short_way_for_complete_numbers_finds_what_the_library_finds():
    random, complete = Random(1), 0
    for code in sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE) * 60:
        first, size = random.choice(("", "0", "1", "8")), random.randint(4, 12)
        text = f"{code}{first}{random.randrange(10**size)}"
        plan = phone_values._complete_number(text)
        if plan is None:
            continue
        complete += 1
        number = phonenumbers.parse(f"+{text}")
        assert phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164) == f"+{text}"
        assert phone_values._possible(number)
        if plan.only_country:
            assert phonenumbers.region_code_for_number(number) == plan.only_country
    assert complete > 2000


@pytest.mark.parametrize(
    "text", ["", "0905321112233", "90532111223", "9005321112233", "905３2111223"]
)
def test_the_short_way_leaves_the_rest_to_the_library(text):
    assert phone_values._complete_number(text) is None
