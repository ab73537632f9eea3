//! The messages of a `.model` file, by their field numbers. What is only carried along stays bytes, so that it is written as it was read.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ModelProto {
    #[prost(message, repeated, tag = "1")]
    pub pieces: Vec<PieceProto>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub trainer_spec: Option<Vec<u8>>,
    #[prost(message, optional, tag = "3")]
    pub normalizer_spec: Option<NormalizerSpec>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub self_test_data: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "5")]
    pub denormalizer_spec: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PieceProto {
    #[prost(string, optional, tag = "1")]
    pub piece: Option<String>,
    #[prost(float, optional, tag = "2")]
    pub score: Option<f32>,
    #[prost(enumeration = "PieceKind", optional, tag = "3")]
    pub kind: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum PieceKind {
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct NormalizerSpec {
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub precompiled_charsmap: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "3")]
    pub add_dummy_prefix: Option<bool>,
    #[prost(bool, optional, tag = "4")]
    pub remove_extra_whitespaces: Option<bool>,
    #[prost(bool, optional, tag = "5")]
    pub escape_whitespaces: Option<bool>,
    #[prost(string, optional, tag = "6")]
    pub normalization_rule_tsv: Option<String>,
}

/// What a training here says of itself.
#[derive(Clone, PartialEq, Message)]
pub struct TrainerMessage {
    #[prost(int32, optional, tag = "3")]
    pub model_type: Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub vocab_size: Option<i32>,
    #[prost(float, optional, tag = "10")]
    pub character_coverage: Option<f32>,
    #[prost(int32, optional, tag = "14")]
    pub seed_sentencepiece_size: Option<i32>,
    #[prost(float, optional, tag = "15")]
    pub shrinking_factor: Option<f32>,
    #[prost(int32, optional, tag = "17")]
    pub num_sub_iterations: Option<i32>,
    #[prost(int32, optional, tag = "20")]
    pub max_sentencepiece_length: Option<i32>,
    #[prost(bool, optional, tag = "21")]
    pub split_by_unicode_script: Option<bool>,
    #[prost(bool, optional, tag = "22")]
    pub split_by_whitespace: Option<bool>,
    #[prost(bool, optional, tag = "23")]
    pub split_by_number: Option<bool>,
    #[prost(bool, optional, tag = "24")]
    pub treat_whitespace_as_suffix: Option<bool>,
    #[prost(bool, optional, tag = "25")]
    pub split_digits: Option<bool>,
    #[prost(bool, optional, tag = "26")]
    pub allow_whitespace_only_pieces: Option<bool>,
    #[prost(string, repeated, tag = "30")]
    pub control_symbols: Vec<String>,
    #[prost(string, repeated, tag = "31")]
    pub user_defined_symbols: Vec<String>,
    #[prost(bool, optional, tag = "35")]
    pub byte_fallback: Option<bool>,
    #[prost(string, optional, tag = "36")]
    pub required_chars: Option<String>,
    #[prost(int32, optional, tag = "40")]
    pub unk_id: Option<i32>,
    #[prost(int32, optional, tag = "41")]
    pub bos_id: Option<i32>,
    #[prost(int32, optional, tag = "42")]
    pub eos_id: Option<i32>,
    #[prost(int32, optional, tag = "43")]
    pub pad_id: Option<i32>,
    #[prost(string, optional, tag = "44")]
    pub unk_surface: Option<String>,
    #[prost(string, optional, tag = "45")]
    pub unk_piece: Option<String>,
    #[prost(string, optional, tag = "46")]
    pub bos_piece: Option<String>,
    #[prost(string, optional, tag = "47")]
    pub eos_piece: Option<String>,
    #[prost(string, optional, tag = "48")]
    pub pad_piece: Option<String>,
}

/// What of a trainer's options matters after the training.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TrainerSpec {
    /// 1 Unigram, 2 BPE, 3 words, 4 characters.
    #[prost(int32, optional, tag = "3")]
    pub model_type: Option<i32>,
    #[prost(bool, optional, tag = "24")]
    pub treat_whitespace_as_suffix: Option<bool>,
    #[prost(bool, optional, tag = "35")]
    pub byte_fallback: Option<bool>,
    #[prost(string, optional, tag = "44")]
    pub unk_surface: Option<String>,
    #[prost(string, optional, tag = "46")]
    pub bos_piece: Option<String>,
    #[prost(string, optional, tag = "47")]
    pub eos_piece: Option<String>,
    #[prost(string, optional, tag = "48")]
    pub pad_piece: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SelfTestData {
    #[prost(message, repeated, tag = "1")]
    pub samples: Vec<Sample>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Sample {
    #[prost(string, optional, tag = "1")]
    pub input: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub expected: Option<String>,
}
