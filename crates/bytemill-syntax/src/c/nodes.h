// The visible nodes of a tree, in the order of the source: what a cursor would show one by one.

typedef struct {
  uint32_t start, end;
  // How many visible nodes are around it.
  uint32_t depth;
  TSSymbol kind;
  bool has_children;
} Node;

// A node whose children are being looked at.
typedef struct {
  const Subtree *next, *last;
  const TSSymbol *aliases;
  uint32_t end;
  uint32_t depth;
} Level;

typedef Array(Level) Levels;

static Level level_of(Subtree tree, uint32_t end, uint32_t depth, const TSLanguage *language) {
  const Subtree *children = ts_subtree_children(tree);
  return (Level){
    .next = children,
    .last = children + ts_subtree_child_count(tree),
    .aliases = ts_language_alias_sequence(language, tree.ptr->production_id),
    .end = end,
    .depth = depth,
  };
}

static Node *nodes_of(Subtree root, const TSLanguage *language, uint32_t *count) {
  Node *nodes = arena_malloc((ts_subtree_visible_descendant_count(root) + 1) * sizeof(Node));
  Levels levels = array_new();
  uint32_t at = ts_subtree_padding(root).bytes, size = ts_subtree_size(root).bytes;
  nodes[0] = (Node){
    .start = at,
    .end = at + size,
    .kind = ts_language_public_symbol(language, ts_subtree_symbol(root)),
    .has_children = ts_subtree_visible_child_count(root) > 0,
  };
  *count = 1;
  at = 0;
  if (ts_subtree_child_count(root) > 0) array_push(&levels, level_of(root, nodes[0].end, 1, language));
  while (levels.size > 0) {
    Level *level = array_back(&levels);
    if (level->next == level->last) {
      at = level->end;
      levels.size--;
      continue;
    }
    Subtree child = *level->next++;
    TSSymbol alias = 0;
    if (level->aliases && !ts_subtree_extra(child)) alias = *level->aliases++;
    uint32_t start = at + ts_subtree_padding(child).bytes, end = start + ts_subtree_size(child).bytes;
    uint32_t depth = level->depth;
    bool has_children = ts_subtree_visible_child_count(child) > 0;
    if (alias || ts_subtree_visible(child)) {
      nodes[(*count)++] = (Node){
        .start = start,
        .end = end,
        .depth = depth++,
        .kind = ts_language_public_symbol(language, alias ? alias : ts_subtree_symbol(child)),
        .has_children = has_children,
      };
    }
    if (has_children) {
      Level inner = level_of(child, end, depth, language);
      array_push(&levels, inner);
    } else {
      at = end;
    }
  }
  return nodes;
}
