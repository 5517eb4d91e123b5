import { expect, test } from 'vitest';
import { removeDue } from '../server/deletions.ts';

/** A backend that answers with these and remembers what it was asked. */
function answering(...answers: Response[]) {
  const asked: string[] = [];
  const fetch = async (request: Request) => {
    const { pathname } = new URL(request.url);
    asked.push(`${request.method} ${pathname} ${request.headers.get('authorization')}`);
    const answer = answers.shift();
    if (!answer) throw new Error('asked once too often');
    return answer;
  };
  return { asked, backend: { fetch, secretKey: 'sb_secret_x' } };
}

const rows = 'GET /rest/v1/deletions Bearer sb_secret_x';
const remove = 'POST /functions/v1/delete-account Bearer sb_secret_x';

test('while no account is due, no function is started', async () => {
  const { asked, backend } = answering(Response.json([]));
  await removeDue(backend);
  expect(asked).toEqual([rows]);
});

test('what is due is removed by the function, with the secret key, and what stayed is told', async () => {
  const { asked, backend } = answering(
    Response.json([{}]),
    Response.json({ removed: 1, failed: 2 }),
  );
  expect(await removeDue(backend)).toBe(2);
  expect(asked).toEqual([rows, remove]);
});

test('a refusal is told, for the log', async () => {
  const { backend } = answering(Response.json([{}]), new Response('', { status: 503 }));
  await expect(removeDue(backend)).rejects.toThrow('503');
});
