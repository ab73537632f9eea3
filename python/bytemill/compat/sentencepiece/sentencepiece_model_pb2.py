"""The messages of a `.model` file."""

from .descriptors import message_classes

_TRAINER = [
    ("input", 1, "*string"),
    ("input_format", 7, "string"),
    ("model_prefix", 2, "string"),
    ("model_type", 3, "TrainerSpec.ModelType", "UNIGRAM"),
    ("vocab_size", 4, "int32", 8000),
    ("accept_language", 5, "*string"),
    ("self_test_sample_size", 6, "int32", 0),
    ("enable_differential_privacy", 50, "bool", False),
    ("differential_privacy_noise_level", 51, "float", 0.0),
    ("differential_privacy_clipping_threshold", 52, "uint64", 0),
    ("character_coverage", 10, "float", 0.9995),
    ("input_sentence_size", 11, "uint64", 0),
    ("shuffle_input_sentence", 19, "bool", True),
    ("mining_sentence_size", 12, "int32"),
    ("training_sentence_size", 13, "int32"),
    ("seed_sentencepiece_size", 14, "int32", 1000000),
    ("shrinking_factor", 15, "float", 0.75),
    ("max_sentence_length", 18, "int32", 4192),
    ("num_threads", 16, "int32", 16),
    ("num_sub_iterations", 17, "int32", 2),
    ("max_sentencepiece_length", 20, "int32", 16),
    ("split_by_unicode_script", 21, "bool", True),
    ("split_by_number", 23, "bool", True),
    ("split_by_whitespace", 22, "bool", True),
    ("treat_whitespace_as_suffix", 24, "bool", False),
    ("allow_whitespace_only_pieces", 26, "bool", False),
    ("split_digits", 25, "bool", False),
    ("pretokenization_delimiter", 53, "string", ""),
    ("control_symbols", 30, "*string"),
    ("user_defined_symbols", 31, "*string"),
    ("required_chars", 36, "string"),
    ("byte_fallback", 35, "bool", False),
    ("vocabulary_output_piece_score", 32, "bool", True),
    ("hard_vocab_limit", 33, "bool", True),
    ("use_all_vocab", 34, "bool", False),
    ("unk_id", 40, "int32", 0),
    ("bos_id", 41, "int32", 1),
    ("eos_id", 42, "int32", 2),
    ("pad_id", 43, "int32", -1),
    ("unk_piece", 45, "string", "<unk>"),
    ("bos_piece", 46, "string", "<s>"),
    ("eos_piece", 47, "string", "</s>"),
    ("pad_piece", 48, "string", "<pad>"),
    ("unk_surface", 44, "string", " \u2047 "),
    ("train_extremely_large_corpus", 49, "bool", False),
]
_CLASSES = message_classes(
    "sentencepiece_model.proto",
    {
        "TrainerSpec": _TRAINER,
        "NormalizerSpec": [
            ("name", 1, "string"),
            ("precompiled_charsmap", 2, "bytes"),
            ("add_dummy_prefix", 3, "bool", True),
            ("remove_extra_whitespaces", 4, "bool", True),
            ("escape_whitespaces", 5, "bool", True),
            ("normalization_rule_tsv", 6, "string"),
        ],
        "SelfTestData": [("samples", 1, "*SelfTestData.Sample")],
        "SelfTestData.Sample": [("input", 1, "string"), ("expected", 2, "string")],
        "ModelProto": [
            ("pieces", 1, "*ModelProto.SentencePiece"),
            ("trainer_spec", 2, "TrainerSpec"),
            ("normalizer_spec", 3, "NormalizerSpec"),
            ("self_test_data", 4, "SelfTestData"),
            ("denormalizer_spec", 5, "NormalizerSpec"),
        ],
        "ModelProto.SentencePiece": [
            ("piece", 1, "string"),
            ("score", 2, "float"),
            ("type", 3, "ModelProto.SentencePiece.Type", "NORMAL"),
        ],
    },
    {
        "TrainerSpec.ModelType": {"UNIGRAM": 1, "BPE": 2, "WORD": 3, "CHAR": 4},
        "ModelProto.SentencePiece.Type": {
            "NORMAL": 1,
            "UNKNOWN": 2,
            "CONTROL": 3,
            "USER_DEFINED": 4,
            "BYTE": 6,
            "UNUSED": 5,
        },
    },
)
TrainerSpec = _CLASSES["TrainerSpec"]
NormalizerSpec = _CLASSES["NormalizerSpec"]
SelfTestData = _CLASSES["SelfTestData"]
ModelProto = _CLASSES["ModelProto"]
DESCRIPTOR = ModelProto.DESCRIPTOR.file
