import { createTransport } from 'nodemailer';
import type { Mail, MailContext } from './messages.ts';
import { renderMail } from './messages.ts';
import { writeOutboxMail } from './outbox.ts';

export type MailOptions = { smtpUrl: string; from: string } | { outboxDir: string };

export interface Mailer {
  /** Rejects when the mail could not be sent. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Sends by SMTP, or writes to the outbox directory when no mail server is configured. */
export function openMailer(options: MailOptions, context: MailContext): Mailer {
  if ('outboxDir' in options) {
    const from = `vitrine@${new URL(context.publicOrigin).hostname}`;
    return {
      send: (mail) =>
        writeOutboxMail(options.outboxDir, {
          from,
          to: mail.to,
          ...renderMail(mail, context),
        }),
      close() {},
    };
  }
  const transport = createTransport(options.smtpUrl, {
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      await transport.sendMail({
        from: options.from,
        // As an object, it is not parsed as a list of addresses.
        to: { name: '', address: mail.to },
        ...renderMail(mail, context),
      });
    },
    close: () => transport.close(),
  };
}
