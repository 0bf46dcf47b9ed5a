"""The vocabulary as frozen pydantic models, files and their hashes, errors. Imports nothing else of this project."""
