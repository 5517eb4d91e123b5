import { createServer, type AddressInfo } from 'node:net';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listOutboxMails, readOutboxMail } from '../src/index.ts';
import { openMailer } from '../src/mail/mailer.ts';
import { renderMail } from '../src/mail/messages.ts';
import { writeOutboxMail } from '../src/mail/outbox.ts';

const origin = 'https://app.test';
const place = { publicOrigin: origin, lifetimeSeconds: 3600 };

async function makeOutbox() {
  const outboxDir = await mkdtemp(join(tmpdir(), 'vitrine-mail-'));
  onTestFinished(() => rm(outboxDir, { recursive: true }));
  return outboxDir;
}

test('writes private mails to the outbox, and lists them newest first', async () => {
  const outboxDir = await makeOutbox();
  await chmod(outboxDir, 0o755);
  const mailer = openMailer({ outboxDir }, place);
  await mailer.send({
    kind: 'signup',
    to: 'a@example.com',
    link: `${origin}/auth/v1/verify?token=1`,
  });
  await mailer.send({
    kind: 'recovery',
    to: 'b@example.com',
    link: `${origin}/auth/v1/verify?token=2`,
  });
  const mails = await listOutboxMails(outboxDir);
  expect(mails.map((mail) => mail.to).toSorted()).toEqual(['a@example.com', 'b@example.com']);
  const [first] = mails;
  expect(await readOutboxMail(outboxDir, first?.id ?? '')).toEqual(first);
  expect((await stat(join(outboxDir, `${first?.id}.json`))).mode & 0o777).toBe(0o600);
  expect((await stat(outboxDir)).mode & 0o777).toBe(0o700);
});

test('keeps the last 200 mails', async () => {
  const outboxDir = await makeOutbox();
  for (let index = 0; index < 205; index += 1) {
    await writeOutboxMail(outboxDir, {
      from: 'x',
      to: 'a@example.com',
      subject: 's',
      text: 't',
      html: 'h',
    });
  }
  expect((await readdir(outboxDir)).length).toBe(200);
});

test.each(['../../etc/passwd', '..%2f', '', '20260101000000000-zzzzzzzzzzzz'])(
  'reads no file for the id %j',
  async (id) => {
    expect(await readOutboxMail(await makeOutbox(), id)).toBeUndefined();
  },
);

test('lists nothing when there is no outbox yet', async () => {
  expect(await listOutboxMails(join(tmpdir(), 'vitrine-no-such-folder'))).toEqual([]);
});

test('AU-19 escapes HTML in the link', () => {
  const link = `${origin}/auth/v1/verify?token="><script>alert(1)</script>&a='`;
  const { html } = renderMail({ kind: 'signup', to: 'a@example.com', link }, place);
  expect(html).not.toContain('<script>');
  expect(html).toContain('&quot;&gt;&lt;script&gt;');
});

test('sends by SMTP to one recipient', async () => {
  const server = await openSmtpSink();
  const mailer = openMailer(
    {
      smtpUrl: `smtp://127.0.0.1:${server.port}?ignoreTLS=true`,
      from: 'Vitrine <vitrine@app.test>',
    },
    place,
  );
  await mailer.send({
    kind: 'signup',
    to: 'a@example.com',
    link: `${origin}/auth/v1/verify?token=1`,
  });
  mailer.close();
  expect(server.commands.filter((line) => line.startsWith('RCPT'))).toEqual([
    'RCPT TO:<a@example.com>',
  ]);
  expect(server.commands).toContain('Subject: Confirm your email address');
});

/** A mail server that accepts everything and records each line. */
async function openSmtpSink() {
  const commands: string[] = [];
  const server = createServer((socket) => {
    let isData = false;
    let rest = '';
    socket.write('220 sink\r\n');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        commands.push(line);
        if (isData && line !== '.') continue;
        isData = line === 'DATA';
        socket.write(isData ? '354 go on\r\n' : line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { commands, port: (server.address() as AddressInfo).port };
}
