"""`tokenizers.tools`: tokens as a picture."""

from .visualizer import Annotation, EncodingVisualizer

__all__ = ["Annotation", "EncodingVisualizer"]
