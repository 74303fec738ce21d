/* Tests SHA-256 and HMAC-SHA256 with the examples of FIPS 180-4 and RFC 4231. */
#include "unit.h"

#include "common/sha256.h"

static void check_hash(pprofc_str data, const char *wanted) {
  char hex[SHA256_HEX + 1];
  sha256_hex_of(data, hex);
  CU_ASSERT_STRING_EQUAL(hex, wanted);
}

TEST(test_hashes_of_fips_180) {
  check_hash(STR(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  check_hash(STR("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  check_hash(STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
             "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(test_parts_are_the_whole) {
  static char data[1000];
  uint8_t hash[SHA256_SIZE];
  char whole[SHA256_HEX + 1], parts[SHA256_HEX + 1];
  for (size_t i = 0; i < sizeof data; i++) data[i] = (char)(i * 7);
  for (size_t size = 0; size < 200; size++) {
    struct sha256 sha;
    sha256_hex_of((pprofc_str){data, size}, whole);
    sha256_begin(&sha);
    for (size_t at = 0; at < size; at += 13)
      sha256_add(&sha, data + at, size - at < 13 ? size - at : 13);
    sha256_end(&sha, hash);
    sha256_hex(hash, parts);
    CU_ASSERT_STRING_EQUAL(whole, parts);
  }
}

TEST(test_a_million_letters) {
  struct sha256 sha;
  uint8_t hash[SHA256_SIZE];
  char block[1000], hex[SHA256_HEX + 1];
  memset(block, 'a', sizeof block);
  sha256_begin(&sha);
  for (int i = 0; i < 1000; i++) sha256_add(&sha, block, sizeof block);
  sha256_end(&sha, hash);
  sha256_hex(hash, hex);
  CU_ASSERT_STRING_EQUAL(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void check_hmac(pprofc_str key, pprofc_str data, const char *wanted) {
  uint8_t hash[SHA256_SIZE];
  char hex[SHA256_HEX + 1];
  hmac_sha256(key, data, hash);
  sha256_hex(hash, hex);
  CU_ASSERT_STRING_EQUAL(hex, wanted);
}

TEST(test_hmac_of_rfc_4231) {
  char key[131];
  memset(key, 0x0b, 20);
  check_hmac((pprofc_str){key, 20}, STR("Hi There"),
             "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  check_hmac(STR("Jefe"), STR("what do ya want for nothing?"),
             "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  memset(key, 0xaa, sizeof key);
  check_hmac((pprofc_str){key, sizeof key},
             STR("Test Using Larger Than Block-Size Key - Hash Key First"),
             "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}
