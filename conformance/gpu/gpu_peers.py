"""The programs of gpu_programs.cc by JAX and PyTorch, where Python has them: a line for each peer.

Prints PEER, program, peer and microseconds per iteration, tab-separated.
"""

import time

ITERATIONS = 5000
INNER = 50
SMALL = 1000
LARGE = 100_000
STEPS = 4
BRANCH = "a branch on the GPU, with gradients"
BRANCH_STEPS = 1000
TIME_STEPS = 100
BATCH = 32
UNITS = 256
SIZE = 4096
TIMES = 50
LAYERS = ((256, 1024), (1024, 1024), (1024, 10))
TRAINING_BATCH = 128
RATE = 0.001


def report(program, peer, seconds, iterations):
    print(f"PEER\t{program}\t{peer}\t{seconds / iterations * 1e6:.3f} us per iteration", flush=True)


def fastest(run):
    run()
    best = float("inf")
    for _ in range(STEPS):
        begin = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - begin)
    return best


def jax_programs():
    import jax
    from jax import lax
    import jax.numpy as jnp

    def turn(y):
        return jnp.tanh(y * 0.9)

    def counted(body):
        return lambda n, x: lax.while_loop(lambda s: s[0] < n, body, (0, x))[1]

    def on_gpu(n, x):
        # JAX keeps every value on the GPU, so that this predicate is there too.
        def more(s):
            return s[0][0] < n.astype(jnp.float32)

        return lax.while_loop(more, lambda s: (s[0] + 1.0, turn(s[1])), (jnp.zeros(1), x))[1]

    def nested(s):
        inner = lax.while_loop(lambda t: t[0] < INNER, lambda t: (t[0] + 1, turn(t[1])), (0, s[1]))
        return s[0] + 1, inner[1]

    def nested_on_gpu(n, x):
        def inner(s):
            turned = lax.while_loop(
                lambda t: t[0][0] < INNER, lambda t: (t[0] + 1.0, turn(t[1])), (s[0] * 0.0, s[1])
            )
            return s[0] + 1.0, turned[1]

        return lax.while_loop(lambda s: s[0][0] < n.astype(jnp.float32), inner, (jnp.zeros(1), x))[1]

    def cond_on_gpu(n, x):
        limit = n.astype(jnp.float32)

        def body(s):
            return s[0] + 1.0, lax.cond(
                0.5 * limit < s[0][0], lambda y: y * 0.9, jnp.tanh, s[1]
            )

        return lax.while_loop(lambda s: s[0][0] < limit, body, (jnp.zeros(1), x))[1]

    def with_cond(s):
        return s[0] + 1, lax.cond(s[0] % 2 == 0, lambda y: y * 0.9, jnp.tanh, s[1])

    programs = [
        ("counted on the host", counted(lambda s: (s[0] + 1, turn(s[1]))), SMALL, 1),
        ("vec100k", counted(lambda s: (s[0] + 1, turn(s[1]) + 0.1)), LARGE, 1),
        ("predicate on the GPU", on_gpu, SMALL, 1),
        ("predicate on the GPU, nested", nested_on_gpu, SMALL, INNER),
        ("predicate on the GPU, with a cond", cond_on_gpu, SMALL, 1),
        ("nested", counted(nested), SMALL, INNER),
        ("with a cond", counted(with_cond), SMALL, 1),
    ]
    for name, function, elements, inner in programs:
        x = jnp.linspace(-0.5, 0.5, elements, dtype=jnp.float32)
        n = jnp.int32(ITERATIONS // inner)
        run = jax.jit(function)
        report(name, "jax", fastest(lambda: run(n, x).block_until_ready()), ITERATIONS)


def jax_branch():
    import jax
    from jax import lax
    import jax.numpy as jnp

    limit = 0.3 * SMALL

    def last(x, w):
        def body(y, _):
            return lax.cond(
                jnp.sum(y) > limit,
                lambda y: y * jnp.sin(y) * w,
                lambda y: y + jnp.cos(y) * 0.01,
                y,
            ), None

        return jnp.sum(lax.scan(body, x, None, length=BRANCH_STEPS)[0])

    x = 0.1 * jnp.sin(jnp.arange(SMALL, dtype=jnp.float32))
    run = jax.jit(jax.value_and_grad(last, argnums=(0, 1)))
    seconds = fastest(lambda: jax.block_until_ready(run(x, jnp.float32(0.9))))
    report(BRANCH, "jax", seconds, BRANCH_STEPS)


def jax_lstm():
    import jax
    from jax import lax
    import jax.numpy as jnp

    jax.config.update("jax_default_matmul_precision", "highest")
    w = 0.05 * jnp.sin(jnp.arange(2 * UNITS * 4 * UNITS, dtype=jnp.float32)).reshape(2 * UNITS, -1)
    xs = jnp.sin(jnp.arange(TIME_STEPS * BATCH * UNITS, dtype=jnp.float32))
    xs = xs.reshape(TIME_STEPS, BATCH, UNITS)

    def lstm(w, xs):
        def cell(state, x):
            h, c = state
            i, j, f, o = jnp.split(jnp.concatenate([x, h], 1) @ w, 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(j)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        zero = jnp.zeros((BATCH, UNITS))
        return lax.scan(cell, (zero, zero), xs)[0][0]

    forward = jax.jit(lstm)
    both = jax.jit(jax.value_and_grad(lambda w, xs: jnp.sum(lstm(w, xs))))
    seconds = fastest(lambda: forward(w, xs).block_until_ready())
    report("lstm forward", "jax", seconds, TIME_STEPS)
    seconds = fastest(lambda: jax.block_until_ready(both(w, xs)))
    report("lstm forward and backward", "jax", seconds, TIME_STEPS)

    y, w = jnp.full((SIZE, SIZE), 0.5), jnp.full((SIZE, SIZE), 1 / SIZE)
    product = jax.jit(lambda y, w: lax.fori_loop(0, TIMES, lambda _, y: y @ w, y))
    report("product", "jax", fastest(lambda: product(y, w).block_until_ready()), TIMES)


def jax_training():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_default_matmul_precision", "highest")
    x = jnp.sin(jnp.arange(TRAINING_BATCH * 256, dtype=jnp.float32)).reshape(TRAINING_BATCH, 256)

    def loss_of(weights):
        y = x
        for i, (w, bias) in enumerate(weights):
            y = y @ w + bias
            y = jax.nn.relu(y) if i + 1 < len(weights) else y
        return -jnp.sum(jnp.mean(jax.nn.log_softmax(y), 1))

    def step(weights, m, v, count):
        loss, gradients = jax.value_and_grad(loss_of)(weights)
        count = count + 1
        rate = RATE * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        m = jax.tree.map(lambda a, g: a + (g - a) * 0.1, m, gradients)
        v = jax.tree.map(lambda a, g: a + (g * g - a) * 0.001, v, gradients)
        weights = jax.tree.map(
            lambda w, a, b: w - a * rate / (jnp.sqrt(b) + 1e-7), weights, m, v
        )
        return weights, m, v, count, loss

    weights = [
        (0.05 * jnp.sin(jnp.arange(a * b, dtype=jnp.float32)).reshape(a, b), jnp.zeros(b))
        for a, b in LAYERS
    ]
    zeros = jax.tree.map(jnp.zeros_like, weights)
    state = [weights, zeros, jax.tree.map(jnp.copy, zeros), jnp.float32(0)]
    train = jax.jit(step, donate_argnums=(0, 1, 2, 3))

    def run():
        *state[:], loss = train(*state)
        loss.block_until_ready()

    run()
    report("training step", "jax", fastest(run), 1)


def torch_programs():
    import torch

    def loop(body, n, x):
        i = 0
        while i < n:
            x = body(i, x)
            i += 1
        return x

    def turn(_, y):
        return torch.tanh(y * 0.9)

    def on_gpu(n, x):
        s = torch.zeros(1, device="cuda")
        while s[0] < n:
            s, x = s + 1, turn(0, x)
        return x

    programs = [
        ("counted on the host", lambda n, x: loop(turn, n, x), SMALL, 1),
        ("vec100k", lambda n, x: loop(lambda i, y: turn(i, y) + 0.1, n, x), LARGE, 1),
        ("predicate on the GPU", on_gpu, SMALL, 1),
        ("nested", lambda n, x: loop(lambda i, y: loop(turn, INNER, y), n, x), SMALL, INNER),
        (
            "with a cond",
            lambda n, x: loop(lambda i, y: y * 0.9 if i % 2 == 0 else torch.tanh(y), n, x),
            SMALL,
            1,
        ),
    ]
    for name, function, elements, inner in programs:
        x = torch.linspace(-0.5, 0.5, elements, device="cuda")

        def run():
            function(ITERATIONS // inner, x)
            torch.cuda.synchronize()

        report(name, "torch", fastest(run), ITERATIONS)


def torch_branch():
    import torch

    x = (0.1 * torch.sin(torch.arange(SMALL))).cuda().requires_grad_()
    w = torch.tensor(0.9, device="cuda", requires_grad=True)

    def run():
        y = x
        for _ in range(BRANCH_STEPS):
            y = y * torch.sin(y) * w if y.sum() > 0.3 * SMALL else y + torch.cos(y) * 0.01
        y.sum().backward()
        torch.cuda.synchronize()

    report(BRANCH, "torch", fastest(run), BRANCH_STEPS)


def torch_lstm():
    import torch

    layer = torch.nn.LSTM(UNITS, UNITS).cuda()  # by cuDNN
    xs = torch.randn(TIME_STEPS, BATCH, UNITS, device="cuda")

    def forward():
        with torch.no_grad():
            layer(xs)
        torch.cuda.synchronize()

    def both():
        layer(xs)[0][-1].sum().backward()
        torch.cuda.synchronize()

    report("lstm forward", "torch", fastest(forward), TIME_STEPS)
    report("lstm forward and backward", "torch", fastest(both), TIME_STEPS)

    w = torch.full((SIZE, SIZE), 1 / SIZE, device="cuda")

    def product():
        y = torch.full((SIZE, SIZE), 0.5, device="cuda")
        for _ in range(TIMES):
            y = y @ w  # without TF32, as PyTorch does unless told so
        torch.cuda.synchronize()

    report("product", "torch", fastest(product), TIMES)


def torch_training():
    import torch

    layers = [torch.nn.Linear(a, b) for a, b in LAYERS]
    network = torch.nn.Sequential(
        layers[0], torch.nn.ReLU(), layers[1], torch.nn.ReLU(), layers[2]
    ).cuda()
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE, fused=True)
    x = torch.randn(TRAINING_BATCH, 256, device="cuda")

    def run():
        optimizer.zero_grad()
        loss = -torch.log_softmax(network(x), 1).mean(1).sum()
        loss.backward()
        optimizer.step()
        loss.item()

    report("training step", "torch", fastest(run), 1)


PEERS = (
    ("jax", jax_programs),
    ("jax", jax_branch),
    ("jax", jax_lstm),
    ("jax", jax_training),
    ("torch", torch_programs),
    ("torch", torch_branch),
    ("torch", torch_lstm),
    ("torch", torch_training),
)


def main():
    for name, programs in PEERS:
        try:
            programs()
        except Exception as error:  # without the library, or without its GPU, there is no peer
            print(f"PEER\tnone\t{name}\t{type(error).__name__}: {error}", flush=True)


if __name__ == "__main__":
    main()
