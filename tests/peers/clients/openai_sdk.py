"""OpenAI's own Python client, pointed at Sentient: one scenario per run, one JSON object on standard output.
`openai_sdk.py SCENARIO`; the client reads OPENAI_BASE_URL and OPENAI_API_KEY itself.
"""

import json
import sys

import openai

client = openai.OpenAI(timeout=60)


def ask(text, **more):
    return client.chat.completions.create(model="sentient", messages=[{"role": "user", "content": text}], **more)


def whole(text, user):
    answer = ask(text, user=user)
    (choice,) = answer.choices
    usage = answer.usage
    return {
        "text": choice.message.content,
        "role": choice.message.role,
        "finish": choice.finish_reason,
        "model": answer.model,
        "usage": [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens],
    }


def streamed(text, user, **more):
    pieces, roles, finish, usage = [], [], None, None
    for chunk in ask(text, user=user, stream=True, stream_options={"include_usage": True}, **more):
        for choice in chunk.choices:
            roles += [choice.delta.role] if choice.delta.role else []
            pieces += [choice.delta.content] if choice.delta.content else []
            finish = choice.finish_reason or finish
        usage = chunk.usage.total_tokens if chunk.usage else usage
    return {"text": "".join(pieces), "pieces": len(pieces), "roles": roles, "finish": finish, "usage": usage}


def failed(call):
    """What the client makes of a failure: its exception, and what that carries."""
    try:
        call()
    except openai.APIError as error:
        return {
            "class": type(error).__name__,
            "status": getattr(error, "status_code", None),
            "code": error.code,
            "message": error.message,
        }
    return {"class": None}


def hang_up(text, user):
    """Leaves in the middle of a stream."""
    with ask(text, user=user, stream=True) as stream:
        for chunk in stream:
            if chunk.choices and chunk.choices[0].delta.content:
                return {"text": chunk.choices[0].delta.content}
    return {}


def busy(text, user):
    """A second request while the first is answered."""
    with ask(text, user=user, stream=True) as stream:
        next(iter(stream))
        return failed(lambda: ask("Hello", user=user))


SCENARIOS = {
    "models": lambda *_: [model.id for model in client.models.list()],
    "whole": whole,
    "stream": streamed,
    "fail": lambda text, user: failed(lambda: whole(text, user)),
    "fail_stream": lambda text, user: failed(lambda: streamed(text, user)),
    "fail_empty": lambda *_: failed(lambda: client.chat.completions.create(model="sentient", messages=[])),
    "hang_up": hang_up,
    "busy": busy,
}
print(json.dumps(SCENARIOS[sys.argv[1]](*sys.argv[2:])))
