import { expect, test } from 'vitest';
import { deleteDueAccounts } from '../server/account-deletions.ts';

/** A fake backend with these responses, which records its requests. */
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

test('does not call the function while no account is due', async () => {
  const { asked, backend } = answering(Response.json([]));
  await deleteDueAccounts(backend);
  expect(asked).toEqual([rows]);
});

test('calls the function with the secret key and returns the number of failures', async () => {
  const { asked, backend } = answering(
    Response.json([{}]),
    Response.json({ removed: 1, failed: 2 }),
  );
  expect(await deleteDueAccounts(backend)).toBe(2);
  expect(asked).toEqual([rows, remove]);
});

test('rejects with the status of a failed request', async () => {
  const { backend } = answering(Response.json([{}]), new Response('', { status: 503 }));
  await expect(deleteDueAccounts(backend)).rejects.toThrow('503');
});
