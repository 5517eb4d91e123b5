/** Does what a request names. */
import { answerRequests } from '@vitrine/processes/child';
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';

interface Request {
  readonly do: string;
  readonly value?: unknown;
}

const notices: unknown[] = [];

answerRequests(
  async (request, tools) => {
    const { do: action, value } = request as Request;
    if (action !== 'load forever') tools.start();
    switch (action) {
      case 'return':
        return value;
      case 'get pid':
        return process.pid;
      case 'get notices':
        return notices;
      case 'throw':
        throw new RangeError('out of range');
      case 'recurse':
        // Overflows the stack of native code.
        return process.kill(process.pid, 'SIGSEGV');
      case 'loop':
        tools.notify(process.pid);
        for (;;);
      case 'sleep':
        tools.notify(process.pid);
        return new Promise(() => setInterval(() => {}, 1_000));
      case 'load forever':
        return new Promise(() => setInterval(() => {}, 1_000));
      case 'fill the heap': {
        const filled: unknown[] = [];
        for (;;) filled.push(Array.from({ length: 1_000 }, () => ({})));
      }
      case 'allocate': {
        const bytes: Buffer[] = [];
        for (;;) bytes.push(Buffer.alloc(50 * 2 ** 20, 1));
      }
      case 'start a descendant':
        return execFileSync('sh', ['-c', 'sleep 1000 >/dev/null 2>&1 & echo $!'], {
          env: { PATH: '/usr/bin:/bin' },
          encoding: 'utf8',
        });
      case 'list environment':
        return Object.keys(process.env);
      case 'connect':
        return new Promise((resolve) =>
          connect(53, '1.1.1.1').on('error', (error) => resolve(Reflect.get(error, 'code'))),
        );
      case 'notify':
        tools.notify(value);
        return undefined;
      default:
        throw new Error(`unknown: ${action}`);
    }
  },
  (notice) => notices.push(notice),
);
