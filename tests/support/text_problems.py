"""Invalid JSON, and valid JSON that cannot be stored, as rows of problems.py. Validity is that of RFC 8259."""

NOT_JSON = (
    ("cut short", '{"bodies": ['), ("NaN", '{"x": NaN}'), ("Infinity", '[Infinity]'), ("lone minus", "[-]"), ("leading zero", "[01]"),
    ("leading zero before 5,000 digits", "[0" + "1" * 5000 + "]"), ("a long integer with a letter", "[123456789012345678901x]"),
    ("an exponent without digits", "[1e]"), ("beyond double, in broken text", "[1e999"), ("lone surrogate, in broken text", '["\\ud800"'),
    ("a name twice, in broken text", '{"a": 1, "a": 2'),
    ("trailing comma", "[1,]"), ("single quotes", "{'a': 1}"), ("comment", "{} // x"), ("two values", "{} {}"),
    ("bad escape", '["\\x"]'), ("an escape of three digits", '["\\ud80"]'), ("raw control character", '["a\x01"]'),
    ("zero byte after a number", b'{"position": [0\0,0,1]}'), ("zero byte at the end", b"{}\0"), ("zero byte in a string", b'["a\0"]'),
    ("bad UTF-8", b'["\xff"]'), ("overlong UTF-8", b'["\xc0\xaf"]'), ("a surrogate in UTF-8", b'["\xed\xa0\x80"]'),
    ("byte order mark", b"\xef\xbb\xbf{}"), ("empty", ""), ("blank", "  \n "), ("plain word", "hello"), ("hex", "[0x10]"))

# (problem, name, text of a body, pointer): each text is JSON.
NOT_KEPT = (
    ("out-of-range", "beyond double", '{"colliders": [], "position": [0, 1e999, 0]}', "/position/1"),
    ("out-of-range", "below double", '{"position": [-1E+400]}', "/position/0"),
    ("out-of-range", "an integer of 400 digits", '{"position": [0, 0, 1' + "0" * 399 + "]}", "/position/2"),
    ("out-of-range", "beyond double, in user", '{"user": {"a/b~c": [[], {"": 1e309}]}}', "/user/a~1b~0c/1/"),
    ("out-of-range", "beyond double, alone", "1e309", ""),
    ("limit-exceeded", "a number of 3,000 digits", "[" + "1" * 3000 + "]", "/0"),
    ("bad-value", "half a surrogate pair", '{"user": ["\\ud800"]}', "/user/0"),
    ("bad-value", "the lower half alone", '{"user": ["x\\uDC00"]}', "/user/0"),
    ("bad-value", "two upper halves", '{"user": {"k": "\\ud800\\ud800"}}', "/user/k"),
    ("bad-value", "half a pair before an escape", '{"user": "\\ud83d\\n"}', "/user"),
    ("bad-value", "U+0000", '{"id": "a\\u0000b"}', "/id"),
    ("bad-value", "U+0000 in a name", '{"a": {"b\\u0000": 1}}', "/a/b\ufffd"),
    ("bad-value", "half a pair in two names", '{"\\ud800": 1, "\\ud801": 2}', "/\ufffd"),
    ("duplicate-member", "a name twice", '{"id": "x", "id": "y"}', "/id"),
    ("duplicate-member", "a name twice, once escaped", '{"id": "x", "\\u0069d": "y"}', "/id"),
    ("duplicate-member", "a name twice inside", '{"colliders": [{}, {"box": {"size": [], "size": 2}}]}', "/colliders/1/box/size"))
