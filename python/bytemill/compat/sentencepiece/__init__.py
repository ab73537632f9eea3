"""The interface of `sentencepiece` 0.2.2, over bytemill.

>>> import io
>>> from bytemill.compat import sentencepiece as spm
>>> model = io.BytesIO()
>>> lines = ["low lower lowest"] * 9
>>> spm.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=model, vocab_size=16, model_type="bpe")
>>> sp = spm.SentencePieceProcessor(model_proto=model.getvalue())
>>> sp.encode("lowest low", out_type=str)
['▁lowe', 'st', '▁low']
"""

from ._version import __version__ as __version__
from .chance import SetRandomGeneratorSeed as SetRandomGeneratorSeed
from .chance import set_random_generator_seed as set_random_generator_seed
from .normalizer import SentencePieceNormalizer as SentencePieceNormalizer
from .processor import SentencePieceProcessor as SentencePieceProcessor
from .settings import SetDataDir as SetDataDir
from .settings import SetMinLogLevel as SetMinLogLevel
from .settings import SetNBestTimeout as SetNBestTimeout
from .settings import ThreadPool as ThreadPool
from .settings import set_min_log_level as set_min_log_level
from .settings import set_nbest_timeout as set_nbest_timeout
from .trainer import SentencePieceTrainer as SentencePieceTrainer
