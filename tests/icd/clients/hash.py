"""The hash of the password "kiln" as a mode of hashcat takes it, computed by Python's hashlib and hmac."""
import hashlib
import hmac
import sys

WORD, SALT = b"kiln", b"saltsalt"


def digest(name, data):
    return hashlib.new(name, data).hexdigest()


def keyed(name, key, data):
    return hmac.new(key, data, name).hexdigest()


PLAIN = {0: "md5", 100: "sha1", 1300: "sha224", 1400: "sha256", 10800: "sha384", 1700: "sha512"}
WORD_SALT = {10: "md5", 110: "sha1", 1410: "sha256", 1710: "sha512"}
SALT_WORD = {20: "md5", 120: "sha1", 1420: "sha256", 1720: "sha512"}
KEY_WORD = {50: "md5", 150: "sha1", 1450: "sha256", 1750: "sha512"}
KEY_SALT = {60: "md5", 160: "sha1", 1460: "sha256", 1760: "sha512"}
TWICE = {2600: "md5", 4500: "sha1"}

mode = int(sys.argv[1])
salt = ":" + SALT.decode()
if mode in PLAIN:
    print(digest(PLAIN[mode], WORD))
elif mode in WORD_SALT:
    print(digest(WORD_SALT[mode], WORD + SALT) + salt)
elif mode in SALT_WORD:
    print(digest(SALT_WORD[mode], SALT + WORD) + salt)
elif mode in KEY_WORD:
    print(keyed(KEY_WORD[mode], WORD, SALT) + salt)
elif mode in KEY_SALT:
    print(keyed(KEY_SALT[mode], SALT, WORD) + salt)
elif mode in TWICE:
    print(digest(TWICE[mode], digest(TWICE[mode], WORD).encode()))
else:
    sys.exit(f"mode {mode} is not known here")
