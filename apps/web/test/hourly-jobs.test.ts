import { expect, test } from 'vitest';
import { limits } from '@vitrine/project';
import { purgeTrash } from '../server/hourly-jobs.ts';

/** A fake backend with these responses, which records its requests. */
function answering(...answers: Response[]) {
  const asked: string[] = [];
  const fetch = async (request: Request) => {
    const { pathname } = new URL(request.url);
    asked.push(`${request.method} ${pathname} ${await request.text()}`);
    const answer = answers.shift();
    if (!answer) throw new Error('asked once too often');
    return answer;
  };
  return { asked, backend: { fetch, secretKey: 'sb_secret_x' } };
}

const call = `POST /rest/v1/rpc/purge_trash {"most":${limits.purgedPerCall}}`;

test('the trash is purged in calls of limited size, until one finds less', async () => {
  const full = limits.purgedPerCall;
  const { asked, backend } = answering(...[full, full, 7].map((count) => Response.json(count)));
  expect(await purgeTrash(backend)).toBe(2 * full + 7);
  expect(asked).toEqual([call, call, call]);
});

test('a purge rejects with the status of a failed request', async () => {
  const { backend } = answering(new Response('', { status: 503 }));
  await expect(purgeTrash(backend)).rejects.toThrow('503');
});
