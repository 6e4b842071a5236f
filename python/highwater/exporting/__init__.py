"""What `highwater export` does: recipes that make a .pte of a model, and what is in the .pte.

`source` tells which recipe a SOURCE asks for: `torch_module` for a function of the user's, `llama`
for checkpoints that ExecuTorch's `export_llama` takes, `hugging_face` for folders that it does not.
`program` reads what came out, and `report` says it. Nothing here imports torch at the top.
"""
