"""The official Python client of MCP, of either generation: starts a server, makes calls, and prints one JSON object.
`mcp_client.py [{"tool": ..., "arguments": ...}, ...] COMMAND...`; the server gets this process's whole environment.
"""

import asyncio
import json
import os
import sys

import mcp
from mcp.types import Implementation

CLIENT = Implementation(name="claude-code", title="Claude Code", version="1.0")


def of(result):
    """What came of a call, whichever generation names it."""
    error = result.isError if hasattr(result, "isError") else result.is_error
    return {"error": bool(error), "text": "\n".join(part.text for part in result.content)}


async def talk(calls, session, progress):
    listed = await session.list_tools()
    results = []
    for call in calls:
        try:
            made = await session.call_tool(call["tool"], call["arguments"], progress_callback=progress)
            results.append(of(made))
        except Exception as error:  # each generation has its own class for an error of the protocol
            results.append({"refused": str(error)})
    return [tool.name for tool in listed.tools], results


async def main():
    calls, command = json.loads(sys.argv[1]), sys.argv[2:]
    server = mcp.StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    notices = []

    async def progress(done, total, message):
        notices.append(message)

    if hasattr(mcp, "Client"):
        async with mcp.Client(server, client_info=CLIENT) as client:
            tools, results = await talk(calls, client, progress)
            version = client.session.protocol_version
    else:
        from mcp.client.stdio import stdio_client

        async with stdio_client(server) as (read, write), mcp.ClientSession(read, write, client_info=CLIENT) as session:
            version = (await session.initialize()).protocolVersion
            tools, results = await talk(calls, session, progress)
    print(json.dumps({"version": str(version), "tools": tools, "results": results, "notices": notices}))


asyncio.run(main())
