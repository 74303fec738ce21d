/* Prints the functions of a profile and the calls between them. Arguments NAME=VALUE set options of
 * pprof by name.
 *
 *   cc call_graph.c $(pkg-config --cflags --libs pprofc) -o call_graph
 *   ./call_graph cpu.pb.gz nodecount=10 sort=cum */
#include <pprofc/pprofc.h>
#include <stdio.h>
#include <string.h>

static pprofc_status set_option(pprofc_report_options *options, char *argument,
                                pprofc_error *error) {
  char *equals = strchr(argument, '=');
  if (equals) *equals = '\0';
  return pprofc_report_options_set(options, argument, equals ? equals + 1 : "true", error);
}

static void print_graph(const pprofc_graph *graph) {
  size_t node_count, edge_count, i;
  const pprofc_graph_node *nodes = pprofc_graph_nodes(graph, &node_count);
  const pprofc_graph_edge *edges = pprofc_graph_edges(graph, &edge_count);
  pprofc_graph_totals totals = pprofc_graph_totals_of(graph);
  printf("%lld %.*s in all\n", (long long)totals.total, (int)totals.unit.size, totals.unit.data);
  for (i = 0; i < node_count; i++)
    printf("%lld %lld %.*s\n", (long long)nodes[i].flat, (long long)nodes[i].cum,
           (int)nodes[i].name.size, nodes[i].name.data);
  for (i = 0; i < edge_count; i++) {
    pprofc_str from = nodes[edges[i].source].name, to = nodes[edges[i].target].name;
    printf("%lld %.*s -> %.*s\n", (long long)edges[i].weight, (int)from.size, from.data,
           (int)to.size, to.data);
  }
}

int main(int argc, char **argv) {
  pprofc_profile *profile = NULL;
  pprofc_graph *graph = NULL;
  pprofc_report_options options;
  pprofc_error error;
  pprofc_status status;
  int i;
  if (argc < 2) return fprintf(stderr, "usage: call_graph PROFILE [NAME=VALUE] ...\n"), 1;
  pprofc_report_options_init(&options);
  status = pprofc_profile_read_file(argv[1], NULL, &profile, &error);
  for (i = 2; i < argc && status == PPROFC_OK; i++) status = set_option(&options, argv[i], &error);
  if (status == PPROFC_OK) status = pprofc_graph_new(profile, &options, &graph, &error);
  if (status == PPROFC_OK) print_graph(graph);
  if (status != PPROFC_OK) fprintf(stderr, "call_graph: %s\n", error.message);
  pprofc_graph_free(graph);
  pprofc_profile_release(profile);
  return status != PPROFC_OK;
}
