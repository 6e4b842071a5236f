"""What `highwater verify` does: a program on this device, op by op, against torch.

`listing` reads a program as it was exported and as it is run; `reference` computes single calls in
torch; `replay` computes what the device's ops should have given; `compare` says how far they are
off; `check` puts it together. It needs the extra ``highwater[export]``.
"""
