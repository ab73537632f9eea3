// A parse as tree-sitter does it, step by step and with the same tree, but for what its own steps spend on being ready
// for several versions of the stack while there is one: for most of a source.

typedef struct {
  // The parser has lost its way if it is in error at more than one in `lost_share` of its looks, after `lost_after` of them.
  uint32_t lost_share, lost_after;
  // The source is handed over in chunks, each of `chunk` bytes. Each may be asked for `most_times` times;
  // a short source counts as `least_chunks` chunks.
  uint32_t chunk, most_times, least_chunks;
  // Bytes of memory that may be asked for, one after the other, for each byte of these chunks.
  uint32_t most_memory;
} Bounds;

typedef struct {
  const char *source;
  uint32_t length;
  const Bounds *bounds;
  TSParser *parser;
  uint64_t times, looks, lost;
  // The chunk that was handed over last.
  uint32_t last_at, last_length;
} Input;

// What the tables of a grammar say of a state and a symbol; states of few symbols have lists that are searched.
typedef struct {
  // The state and the symbol, inverted: zero is none.
  uint32_t key;
  uint16_t value;
} Found;

#define FOUND_BITS 12

typedef struct {
  Arena arena;
  Letters letters;
  const TSLanguage *language;
  Found found[1 << FOUND_BITS];
} Syntax;

static uint64_t chunks(const Input *input) {
  return (uint64_t)input->length / input->bounds->chunk + input->bounds->least_chunks;
}

static bool has_read_too_much(const Input *input) {
  return input->times > input->bounds->most_times * chunks(input);
}

// The bytes of the character that begins with this one; one where none does.
static uint32_t character_length(uint8_t first) {
  if (first < 0xC0) return 1;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

static const char *read_chunk(void *payload, uint32_t at, TSPoint point, uint32_t *length) {
  (void)point;
  Input *input = payload;
  input->times++;
  uint32_t most = at < input->length ? input->length - at : 0;
  if (most > input->bounds->chunk) most = input->bounds->chunk;
  // A parser that has read too much is given no more, and comes to an end soon. But a character that was cut by the end
  // of a chunk is read again, and the lexer does not ask whether it is there.
  if (most && has_read_too_much(input)) {
    uint8_t first = (uint8_t)input->source[at];
    bool is_again = at - input->last_at < input->last_length && first >= 0x80;
    uint32_t character = is_again ? character_length(first) : 0;
    if (most > character) most = character;
  }
  input->last_at = at;
  input->last_length = most;
  *length = most;
  return input->source + (most ? at : 0);
}

// `TSParseState.has_error` stays once it is set, often to the end of the source.
static bool is_in_error(TSParser *parser) {
  for (StackVersion version = 0; version < ts_stack_version_count(parser->stack); version++) {
    if (!ts_parser__version_status(parser, version).is_in_error) return false;
  }
  return true;
}

static bool is_out_of_bounds(TSParseState *state) {
  Input *input = state->payload;
  input->looks++;
  input->lost += is_in_error(input->parser);
  bool is_lost = input->looks >= input->bounds->lost_after && input->lost > input->looks / input->bounds->lost_share;
  return is_lost || has_read_too_much(input);
}

// tree-sitter's own, but for what can only be a plain character on the same line.
static void advance_lexer(TSLexer *lexer, bool skip) {
  Lexer *self = (Lexer *)lexer;
  uint32_t next = self->current_position.bytes - self->chunk_start + 1;
  if (next < self->chunk_size && self->lookahead_size == 1 && self->data.lookahead != '\n') {
    uint8_t byte = (uint8_t)self->chunk[next];
    if (byte < 0x80) {
      ts_lexer__increment_column_data(self);
      self->current_position.bytes++;
      self->current_position.extent.column++;
      if (skip) self->token_start_position = self->current_position;
      self->data.lookahead = byte;
      return;
    }
  }
  ts_lexer__advance(lexer, skip);
}

static uint16_t look_up(Syntax *syntax, TSStateId state, TSSymbol symbol) {
  const TSLanguage *language = syntax->language;
  if (state < language->large_state_count) return language->parse_table[state * language->symbol_count + symbol];
  uint32_t key = (uint32_t)state << 16 | symbol;
  Found *found = &syntax->found[key * 0x9E3779B1u >> (32 - FOUND_BITS)];
  if (found->key != ~key) *found = (Found){.key = ~key, .value = ts_language_lookup(language, state, symbol)};
  return found->value;
}

static TableEntry entry_of(Syntax *syntax, TSStateId state, TSSymbol symbol) {
  if (symbol == ts_builtin_sym_error || symbol == ts_builtin_sym_error_repeat) return (TableEntry){0};
  const TSParseActionEntry *entry = &syntax->language->parse_actions[look_up(syntax, state, symbol)];
  return (TableEntry){
    .actions = (const TSParseAction *)(entry + 1),
    .action_count = entry->entry.count,
    .is_reusable = entry->entry.reusable,
  };
}

// As `ts_stack_push`, for nodes whose other links nobody reads.
static void push(Stack *stack, StackHead *head, Subtree subtree, TSStateId state) {
  StackNode *previous = head->node;
  StackNode *node = stack->node_pool.size > 0 ? array_pop(&stack->node_pool) : ts_malloc(sizeof(StackNode));
  node->state = state;
  node->link_count = 1;
  node->ref_count = 1;
  node->links[0] = (StackLink){.node = previous, .subtree = subtree, .is_pending = false};
  node->position = length_add(previous->position, ts_subtree_total_size(subtree));
  node->error_cost = previous->error_cost + ts_subtree_error_cost(subtree);
  node->node_count = previous->node_count + stack__subtree_node_count(subtree);
  node->dynamic_precedence = previous->dynamic_precedence + ts_subtree_dynamic_precedence(subtree);
  head->node = node;
}

static Subtree pop(Stack *stack, StackHead *head) {
  StackNode *node = head->node;
  Subtree subtree = node->links[0].subtree;
  head->node = node->links[0].node;
  if (stack->node_pool.size < MAX_NODE_POOL_SIZE) {
    stack->node_pool.contents[stack->node_pool.size++] = node;
  } else {
    ts_free(node);
  }
  return subtree;
}

// As `ts_parser__reduce` where the stack has one version and one way down. Whether it was so.
static bool reduce_alone(Syntax *syntax, TSParser *self, const TSParseAction *action, bool is_fragile, bool ends_extra) {
  Stack *stack = self->stack;
  StackHead *head = &stack->heads.contents[0];
  uint32_t child_count = action->reduce.child_count, depth = 0, extras = 0;
  const StackNode *below = head->node;
  for (uint32_t seen = 0; seen < child_count; depth++) {
    Subtree subtree = below->links[0].subtree;
    if (below->link_count != 1 || below->ref_count != 1 || !subtree.ptr) return false;
    if (!ts_subtree_extra(subtree)) seen++;
    // What is on top is put back upon the new node.
    else if (!seen) extras++;
    below = below->links[0].node;
  }

  array_clear(&self->trailing_extras);
  array_reserve(&self->trailing_extras, extras);
  for (self->trailing_extras.size = extras; extras > 0; depth--) {
    self->trailing_extras.contents[--extras] = pop(stack, head);
  }
  SubtreeArray children = array_new();
  array_reserve(&children, (uint32_t)(ts_subtree_alloc_size(depth) / sizeof(Subtree)));
  for (children.size = depth; depth > 0;) children.contents[--depth] = pop(stack, head);

  TSSymbol symbol = action->reduce.symbol;
  MutableSubtree parent = ts_subtree_new_node(symbol, &children, action->reduce.production_id, self->language);
  TSStateId state = head->node->state, next_state = look_up(syntax, state, symbol);
  if (ends_extra && next_state == state) parent.ptr->extra = true;
  if (is_fragile) {
    parent.ptr->fragile_left = true;
    parent.ptr->fragile_right = true;
    parent.ptr->parse_state = TS_TREE_STATE_NONE;
  } else {
    parent.ptr->parse_state = state;
  }
  parent.ptr->dynamic_precedence += action->reduce.dynamic_precedence;
  push(stack, head, ts_subtree_from_mut(parent), next_state);
  for (uint32_t i = 0; i < self->trailing_extras.size; i++) {
    push(stack, head, self->trailing_extras.contents[i], next_state);
  }
  return true;
}

// Whether all other actions are those that tell of repetitions, which are for the use of older trees.
static bool is_only(const TableEntry *entry, uint32_t index) {
  for (uint32_t i = 0; i < entry->action_count; i++) {
    const TSParseAction *action = &entry->actions[i];
    if (i != index && !(action->type == TSParseActionTypeShift && action->shift.repetition)) return false;
  }
  return true;
}

// As `ts_parser__shift` of a token.
static void shift(TSParser *self, StackVersion version, TSStateId state, Subtree token, bool extra) {
  if (extra != ts_subtree_extra(token)) {
    MutableSubtree changed = ts_subtree_make_mut(&self->tree_pool, token);
    ts_subtree_set_extra(&changed, extra);
    token = ts_subtree_from_mut(changed);
  }
  push(self->stack, array_get(&self->stack->heads, version), token, state);
  if (ts_subtree_has_external_tokens(token)) ts_stack_set_last_external_token(self->stack, version, token);
}

// As `ts_parser__advance` without an older tree.
static bool advance(Syntax *syntax, TSParser *self, StackVersion version) {
  TSStateId state = ts_stack_state(self->stack, version);
  uint32_t position = ts_stack_position(self->stack, version).bytes;
  Subtree last_external_token = ts_stack_last_external_token(self->stack, version);
  TableEntry entry = {0};
  Subtree lookahead = ts_parser__get_cached_token(self, state, position, last_external_token, &entry);
  bool needs_lex = !lookahead.ptr;
  for (;;) {
    if (needs_lex) {
      needs_lex = false;
      lookahead = ts_parser__lex(self, version, state);
      if (lookahead.ptr) ts_parser__set_cached_token(self, position, last_external_token, lookahead);
      // Without a token what ends a rule that may stand anywhere is reduced.
      entry = entry_of(syntax, state, lookahead.ptr ? ts_subtree_symbol(lookahead) : ts_builtin_sym_end);
    }
    if (!ts_parser__check_progress(self, &lookahead, &position, 1)) return false;

    bool did_reduce = false, is_alone = ts_stack_version_count(self->stack) == 1;
    StackVersion reduced = STACK_VERSION_NONE;
    for (uint32_t i = 0; i < entry.action_count; i++) {
      const TSParseAction *action = &entry.actions[i];
      switch (action->type) {
        case TSParseActionTypeShift: {
          if (action->shift.repetition) break;
          TSStateId next_state = action->shift.extra ? state : action->shift.state;
          shift(self, version, next_state, lookahead, action->shift.extra);
          return true;
        }
        case TSParseActionTypeReduce: {
          bool is_fragile = entry.action_count > 1, ends_extra = !lookahead.ptr;
          if (is_alone && is_only(&entry, i) && reduce_alone(syntax, self, action, is_fragile, ends_extra)) {
            reduced = version;
          } else {
            StackVersion made = ts_parser__reduce(
              self, version, action->reduce.symbol, action->reduce.child_count, action->reduce.dynamic_precedence,
              action->reduce.production_id, is_fragile, ends_extra
            );
            if (made != STACK_VERSION_NONE) reduced = made;
          }
          did_reduce = true;
          break;
        }
        case TSParseActionTypeAccept:
          ts_parser__accept(self, version, lookahead);
          return true;
        case TSParseActionTypeRecover:
          ts_parser__recover(self, version, lookahead);
          return true;
      }
    }

    if (reduced != STACK_VERSION_NONE) {
      ts_stack_renumber_version(self->stack, reduced, version);
      state = ts_stack_state(self->stack, version);
      if (lookahead.ptr) entry = entry_of(syntax, state, ts_subtree_symbol(lookahead));
      else needs_lex = true;
      continue;
    }
    // What was reduced has become part of another version.
    if (did_reduce) {
      if (lookahead.ptr) ts_subtree_release(&self->tree_pool, lookahead);
      ts_stack_halt(self->stack, version);
      return true;
    }
    // A keyword that may not stand here is a word where a word may.
    TSSymbol word = self->language->keyword_capture_token;
    if (
      ts_subtree_is_keyword(lookahead) &&
      ts_subtree_symbol(lookahead) != word &&
      !ts_language_is_reserved_word(self->language, state, ts_subtree_symbol(lookahead))
    ) {
      entry = entry_of(syntax, state, word);
      if (entry.action_count > 0) {
        MutableSubtree changed = ts_subtree_make_mut(&self->tree_pool, lookahead);
        ts_subtree_set_symbol(&changed, word, self->language);
        lookahead = ts_subtree_from_mut(changed);
        continue;
      }
    }
    if (state == ERROR_STATE) ts_parser__recover(self, version, lookahead);
    else ts_stack_pause(self->stack, version, lookahead);
    return true;
  }
}

// As the loop of `ts_parser_parse`. The tree is not balanced, which would change nodes that are not visible alone.
static Subtree parse_loop(Syntax *syntax, TSParser *self) {
  ts_parser__external_scanner_create(self);
  uint32_t position = 0, last_position = 0, version_count = 0;
  do {
    for (StackVersion version = 0; version_count = ts_stack_version_count(self->stack), version < version_count; version++) {
      while (ts_stack_is_active(self->stack, version)) {
        if (!advance(syntax, self, version)) return NULL_SUBTREE;
        position = ts_stack_position(self->stack, version).bytes;
        if (position > last_position || (version > 0 && position == last_position)) {
          last_position = position;
          break;
        }
      }
    }
    // There is nothing to choose from.
    if (version_count == 1 && ts_stack_version_count(self->stack) == 1 && ts_stack_is_active(self->stack, 0)) continue;
    unsigned min_error_cost = ts_parser__condense_stack(self);
    if (self->finished_tree.ptr && ts_subtree_error_cost(self->finished_tree) < min_error_cost) break;
  } while (version_count != 0);
  return self->finished_tree;
}

static Subtree parse(Syntax *syntax, Input *input, bool stock) {
  TSParser *self = input->parser;
  TSInput reader = {.payload = input, .read = read_chunk, .encoding = TSInputEncodingUTF8};
  TSParseOptions options = {.payload = input, .progress_callback = is_out_of_bounds};
  Subtree root;
  if (stock) {
    TSTree *tree = ts_parser_parse_with_options(self, NULL, reader, options);
    root = tree ? tree->root : NULL_SUBTREE;
  } else {
    if (syntax->language != self->language) {
      memset(syntax->found, 0, sizeof(syntax->found));
      syntax->language = self->language;
    }
    self->lexer.data.advance = advance_lexer;
    self->parse_options = options;
    self->parse_state.payload = input;
    ts_lexer_set_input(&self->lexer, reader);
    root = parse_loop(syntax, self);
  }
  return has_read_too_much(input) ? NULL_SUBTREE : root;
}
