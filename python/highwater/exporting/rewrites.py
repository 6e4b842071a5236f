"""What is changed in a graph before it is written: nothing that its results would show."""

import torch
from executorch.backends.vulkan.utils import is_param_node
from executorch.exir.dialects._ops import ops as exir_ops
from executorch.exir.pass_base import ExportPass, PassResult
from executorch.exir.passes.constant_prop_pass import (
    constant_prop_pass,
    get_default_skip_targets_no_quant,
)
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

# Their tensors meet element by element, so that they must be of one dtype.
_MEETING = {
    getattr(getattr(exir_ops.edge.aten, packet), overload)
    for packet, overload in (
        *((name, "Tensor") for name in ("add", "sub", "mul", "div", "rsub")),
        *((name, "Tensor") for name in ("eq", "ne", "lt", "le", "gt", "ge")),
        *((f"bitwise_{name}", "Tensor") for name in ("and", "or", "xor")),
        *((name, "default") for name in ("minimum", "maximum", "floor_divide")),
        ("div", "Tensor_mode"),
        ("pow", "Tensor_Tensor"),
        ("where", "self"),
    )
}


def numbers_as_scalars(module: GraphModule) -> PassResult:
    """aten.add.Tensor(x, 2) is aten.add.Scalar(x, 2); ExecuTorch would make a tensor of the 2."""
    for node in module.graph.nodes:
        if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
            continue
        if node.target is torch.ops.aten.floor_divide.default and _is_number(node.args[1]):
            # The one whose name has no form for numbers, though torch gives it some.
            node.target = torch.ops.aten.div.Scalar_mode
            node.kwargs = {"rounding_mode": "floor"}
            continue
        overload = node.target._overloadname.replace("Tensor", "Scalar")
        if node.target._overloadname not in ("Tensor", "Tensor_mode") or len(node.args) < 2:
            continue
        packet = node.target.overloadpacket
        if overload in packet.overloads() and _is_number(node.args[1]):
            node.target = getattr(packet, overload)
    module.recompile()
    return PassResult(module, True)


def _is_number(argument: object) -> bool:
    value = argument.meta.get("val") if isinstance(argument, Node) else argument
    return isinstance(value, (bool, int, float, torch.SymInt, torch.SymFloat))


class PromoteDtypes(ExportPass):
    """Casts what meets in one op to the dtype that torch would compute in."""

    def call(self, module: GraphModule) -> PassResult:
        changed = False
        for node in module.graph.nodes:
            if node.op == "call_function" and node.target in _MEETING:
                changed |= _promote(node)
        if changed:
            module.recompile()
        return PassResult(module, changed)


def _promote(node: Node) -> bool:
    first = 1 if node.target == exir_ops.edge.aten.where.self else 0
    pair = node.args[first : first + 2]
    if not all(isinstance(each, Node) for each in pair):
        return False
    wanted = torch.result_type(*(each.meta["val"] for each in pair))
    changed = False
    for index, each in enumerate(pair, first):
        if each.meta["val"].dtype != wanted:
            with node.graph.inserting_before(node):
                cast = node.graph.call_function(
                    exir_ops.edge.aten._to_copy.default, (each,), {"dtype": wanted}
                )
            cast.meta["val"] = each.meta["val"].to(wanted)
            node.update_arg(index, cast)
            changed = True
    return changed


def fixed_sizes_as_numbers(program: ExportedProgram) -> ExportedProgram:
    """torch may fix a size after its node was made, which then has a number and no symbol."""
    graph = program.graph
    for node in list(graph.nodes):
        value = node.meta.get("spec")
        if node.op == "call_function" and isinstance(value, (bool, int, float)):
            _put_number(node, value)
    graph.eliminate_dead_code()
    program.graph_module.recompile()
    return program


def _put_number(node: Node, value: bool | int | float) -> None:
    def put(argument: object) -> object:
        return value if argument is node else argument

    for user in list(node.users):
        if user.op != "output":
            user.args = torch.fx.node.map_aggregate(user.args, put)
            user.kwargs = torch.fx.node.map_aggregate(user.kwargs, put)


def weights_as_floats(program: ExportedProgram) -> ExportedProgram:
    """Of layers that are not computed in integers, though their weights are quantized."""
    return constant_prop_pass(program, get_default_skip_targets_no_quant())


def constants_marked(program: ExportedProgram) -> ExportedProgram:
    """Weights have memory of their own, which is not planned. So have buffers that are written."""
    for node in program.graph.nodes:
        if is_param_node(program, node):
            node.meta["spec"].const = True
    return program


def edge_names(program: ExportedProgram) -> ExportedProgram:
    """Calls that were put in late have torch's names, without a namespace."""
    for node in program.graph.nodes:
        target = node.target
        if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
            continue
        if target is not torch.ops.aten.sym_size.int:
            packet = getattr(exir_ops.edge.aten, target._schema.name.split("::")[1])
            node.target = getattr(packet, target._overloadname)
    return program


# Once each tensor has its description.
LAST = (fixed_sizes_as_numbers, edge_names, constants_marked)


def before_decomposition(program: ExportedProgram) -> ExportedProgram:
    """Removes what only checks, since Session holds every call to the ranges in the file; and keeps
    norms whole that torch would take apart."""
    graph = program.graph
    for node in reversed(list(graph.nodes)):
        if node.op == "call_function" and _only_checks(node):
            graph.erase_node(node)
        elif node.target is torch.ops.aten.rms_norm.default:
            _keep_rms_norm(node)
    graph.eliminate_dead_code()
    program.graph_module.recompile()
    return program


def _keep_rms_norm(node: Node) -> None:
    """As the op of ExecuTorch's Vulkan exporter, which norms the last dim and has a weight."""
    x, dims, weight, eps, *_ = *node.args, None, None
    if len(dims) == 1 and weight is not None:
        eps = eps if eps is not None else torch.finfo(x.meta["val"].dtype).eps
        node.target = torch.ops.et_vk.rms_norm.default
        node.args = (x, weight, eps)


def _only_checks(node: Node) -> bool:
    name = str(node.target)
    return not node.users and ("_assert" in name or "sym_constrain_range" in name)
