import { Agent, request } from 'node:http';

/** Target of requests: a loopback port, and the `Host` that the server expects. */
export interface Target {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests per second over 8 connections within `durationMs`. Throws for any status but 200. */
export async function countRequests(target: Target, durationMs = 1_000): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const end = performance.now() + durationMs;
  let done = 0;
  const worker = async () => {
    while (performance.now() < end) {
      await get(agent, target);
      done++;
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  agent.destroy();
  return (done * 1_000) / durationMs;
}

function get(agent: Agent, { port, host, path, headers }: Target): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, host: '127.0.0.1', port, path, headers: { host, accept: 'text/html', ...headers } },
      (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${path} answered ${response.statusCode}`));
        });
      },
    );
    sent.once('error', reject);
    sent.end();
  });
}
