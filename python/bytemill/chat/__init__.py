"""Chats: what a folder of a model says beside its tokenizer, templates of messages, and text that is not trusted."""
