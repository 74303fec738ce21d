/* Tests signatures with the examples that AWS publishes for S3, and with the examples of AWS's test
 * suite. */
#include "unit.h"

#include "common/sha256.h"

#include "core/mem.h"

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const struct sigv4_scope s3 = {"AKIAIOSFODNN7EXAMPLE",
                                      "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", "s3",
                                      "20130524T000000Z"};

static void check(const struct sigv4_scope *scope, const struct sigv4_request *request,
                  const char *wanted) {
  struct buffer out;
  buffer_init(&out, &mem_default, 1 << 16);
  sigv4_sign(&out, scope, request);
  CU_ASSERT_FALSE(out.failed);
  pprofc_str text = buffer_str(&out);
  CU_ASSERT_TRUE(str_ends(text, str_of(wanted)));
  buffer_free(&out);
}

#define HOST                                                                                       \
  { "host", "examplebucket.s3.amazonaws.com" }
#define DATE                                                                                       \
  { "x-amz-date", "20130524T000000Z" }

TEST(test_get_an_object) {
  static const struct sigv4_header headers[] = {
      HOST, {"range", "bytes=0-9"}, {"x-amz-content-sha256", EMPTY}, DATE};
  check(&s3, &(struct sigv4_request){"GET", "/test.txt", "", headers, 4, EMPTY},
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
        "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(test_put_an_object) {
  static const char payload[] = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
  static const struct sigv4_header headers[] = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                                                HOST,
                                                {"x-amz-content-sha256", payload},
                                                DATE,
                                                {"x-amz-storage-class", "REDUCED_REDUNDANCY"}};
  char hex[SHA256_HEX + 1];
  sha256_hex_of(STR("Welcome to Amazon S3."), hex);
  CU_ASSERT_STRING_EQUAL(hex, payload);
  check(&s3, &(struct sigv4_request){"PUT", "/test%24file.text", "", headers, 5, payload},
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(test_questions) {
  static const struct sigv4_header headers[] = {HOST, {"x-amz-content-sha256", EMPTY}, DATE};
  check(&s3, &(struct sigv4_request){"GET", "/", "lifecycle=", headers, 3, EMPTY},
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  check(&s3, &(struct sigv4_request){"GET", "/", "max-keys=2&prefix=J", headers, 3, EMPTY},
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(test_the_suite) {
  static const struct sigv4_scope suite = {"AKIDEXAMPLE",
                                           "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1",
                                           "service", "20150830T123600Z"};
  static const struct sigv4_header headers[] = {{"host", "example.amazonaws.com"},
                                                {"x-amz-date", "20150830T123600Z"}};
  check(&suite, &(struct sigv4_request){"GET", "/", "", headers, 2, EMPTY},
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  check(&suite, &(struct sigv4_request){"POST", "/", "", headers, 2, EMPTY},
        "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
}

TEST(test_the_time) {
  struct sigv4_scope scope;
  sigv4_set_time(&scope, 1369353600);
  CU_ASSERT_STRING_EQUAL(scope.time, "20130524T000000Z");
}
