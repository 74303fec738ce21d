/* Lists the tools and their functions. Checks arguments by the schemas in answers.template. */
#include "mcp/call.h"

extern const unsigned char asset_answers_template[];
extern const size_t asset_answers_template_size;

static const struct mcp_tool {
  const char *name;
  tool_fn run;
} tools[] = {{"open", tool_open},       {"top", tool_top},       {"compare", tool_compare},
             {"callers", tool_callers}, {"source", tool_source}, {"benchmarks", tool_benchmarks},
             {"history", tool_history}};

void answer_put(struct buffer *out, const char *part, const struct fill *fill) {
  const pprofc_str template = {(const char *)asset_answers_template, asset_answers_template_size};
  rpc_put_part(out, template, part, fill);
}

tool_fn tool_find(struct call *call, const struct node *name, const struct node **schema) {
  struct buffer text;
  struct fill nothing;
  struct node *list = NULL;
  buffer_init(&text, &mem_default, SIZE_MAX);
  fill_init(&nothing, &mem_default);
  answer_put(&text, "tools", &nothing);
  pprofc_str kept = buffer_keep(&text, call->arena);
  buffer_free(&text);
  fill_free(&nothing);
  if (!kept.data || json_tree_parse(call->arena, NULL, kept, &list, NULL)) return NULL;
  for (size_t i = 0; i < node_size(list) && node_is(name, NODE_STRING); i++) {
    *schema = node_at(list, i);
    for (size_t k = 0; k < sizeof tools / sizeof *tools; k++)
      if (str_equal(name->text, node_text(*schema, "name")) &&
          str_equal(name->text, str_of(tools[k].name)))
        return tools[k].run;
  }
  return NULL;
}

/* True for a text without a NUL byte, because a C string would end at this byte. */
static bool is_text(const struct node *value) {
  return node_is(value, NODE_STRING) && !memchr(value->text.data, 0, value->text.size);
}

/* True if a value has its schema's type: integer, text, or text or array of texts. */
static bool argument_fits(const struct node *schema, const struct node *value) {
  int64_t number;
  pprofc_str type = node_text(schema, "type");
  if (str_equal(type, STR("integer"))) return node_to_integer(value, &number);
  if (type.size || !node_is(value, NODE_ARRAY)) return is_text(value);
  for (size_t i = 0; i < node_size(value); i++)
    if (!is_text(node_at(value, i))) return false;
  return node_size(value) > 0;
}

pprofc_status tool_check(const struct node *schema, const struct node *arguments,
                         pprofc_error *error) {
  const struct node *properties = node_path(schema, "inputSchema.properties");
  const struct node *required = node_path(schema, "inputSchema.required");
  for (size_t i = 0; i < node_size(required); i++)
    if (!node_find(arguments, node_at(required, i)->text))
      return error_set(error, PPROFC_E_INVALID, "the argument \"%.*s\" is missing",
                       STR_ARG(node_at(required, i)->text));
  for (const struct node *n = arguments ? arguments->first : NULL; n; n = n->next) {
    const struct node *property = node_find(properties, n->key);
    pprofc_str key = str_slice(n->key, 0, 60);
    if (!property)
      return error_set(error, PPROFC_E_INVALID, "%.*s has no argument \"%.*s\"",
                       STR_ARG(node_text(schema, "name")), STR_ARG(key));
    if (!argument_fits(property, n))
      return error_set(error, PPROFC_E_INVALID, "the argument \"%.*s\" has another type",
                       STR_ARG(key));
  }
  return PPROFC_OK;
}
