"""Tests pprofc -mcp with the official SDK of Python: lists the tools, calls each, and validates each reply against the
schema of its tool.

  sdk.py PPROFC TESTDATA
"""
import sys

try:
    import anyio
    import jsonschema
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
except ImportError as missing:
    print(f"skipped: {missing}; pip install mcp jsonschema")
    sys.exit(77)

PROGRAM, DATA = sys.argv[1:3]
BASE, HEAD = "generator_cpu.prof", "generator_optimized_cpu.prof"
CALLS = {
    "open": {"profile": BASE},
    "top": {"profile": BASE},
    "compare": {"base": [BASE], "head": HEAD},
    "callers": {"profile": BASE, "function": "runtime.mallocgc"},
    "source": {"profile": BASE, "function": "runtime.mallocgc"},
    "benchmarks": {"base": "bench_original.txt", "head": "bench_optimized.txt"},
    "history": {"runs": ["bench_original.txt", "bench_optimized.txt"]},
}


async def main():
    server = StdioServerParameters(command=PROGRAM, args=["-mcp", DATA])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        started = await session.initialize()
        print("protocol", getattr(started, "protocolVersion", None) or getattr(started, "protocol_version", None))
        tools = (await session.list_tools()).tools
        assert {tool.name for tool in tools} == set(CALLS)
        for tool in tools:
            plain = tool.model_dump(by_alias=True, exclude_none=True)
            for key in ("inputSchema", "outputSchema"):
                jsonschema.Draft202012Validator.check_schema(plain[key])
            assert plain["annotations"]["readOnlyHint"] is True
            jsonschema.validate(CALLS[tool.name], plain["inputSchema"])
            result = (await session.call_tool(tool.name, CALLS[tool.name])).model_dump(by_alias=True)
            assert not result["isError"], result
            jsonschema.validate(result["structuredContent"], plain["outputSchema"])
            print(tool.name, len(result["content"][0]["text"]), "characters")


anyio.run(main)
