/** A mail to be sent: `to` has been checked to be one plain address, `link` leads to our origin. */
export type Letter =
  | { kind: 'signup' | 'recovery' | 'email_change'; to: string; link: string }
  | { kind: 'already-registered' | 'email-changed' | 'password-changed'; to: string };

export interface Message {
  subject: string;
  text: string;
  html: string;
}

interface Wording {
  subject: string;
  lines: string[];
  button?: string;
}

const ignore = 'If this was not you, ignore this mail: nothing happens without the link.';

const notYou = 'If this was not you, write to whoever runs this place.';

const wordings: Record<Letter['kind'], Wording> = {
  signup: {
    subject: 'Confirm your e-mail address',
    lines: ['Somebody, hopefully you, signed up to Vitrine with this address.'],
    button: 'Confirm this address',
  },
  recovery: {
    subject: 'Choose a new password',
    lines: ['Somebody, hopefully you, asked to choose a new password for your Vitrine account.'],
    button: 'Choose a new password',
  },
  email_change: {
    subject: 'Confirm your new e-mail address',
    lines: ['Somebody, hopefully you, wants to use this address for a Vitrine account.'],
    button: 'Use this address',
  },
  'email-changed': {
    subject: 'Your e-mail address was changed',
    lines: [
      'Your Vitrine account has another e-mail address now. This one does not sign in any more.',
      notYou,
    ],
  },
  'password-changed': {
    subject: 'Your password was changed',
    lines: [
      'The password of your Vitrine account was changed, and every other device was signed out.',
      notYou,
    ],
  },
  'already-registered': {
    subject: 'You already have an account',
    lines: [
      'Somebody, hopefully you, tried to sign up to Vitrine with this address, which has an account already.',
      'Sign in with your password, or choose “Forgot password” there.',
    ],
  },
};

/** Writes the mail: plain text, and simple HTML that says the same. */
export function writeMessage(letter: Letter, publicOrigin: string): Message {
  const { subject, lines, button } = wordings[letter.kind];
  const link = 'link' in letter ? letter.link : publicOrigin;
  const label = button ?? 'Open Vitrine';
  const closing = button === undefined ? [] : ['The link works for one hour.', ignore];
  const paragraphs = (text: string[]) =>
    text.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n');
  return {
    subject,
    text: [...lines, `${label}:\n${link}`, ...closing].join('\n\n'),
    html: [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body>`,
      paragraphs(lines),
      `<p><a href="${escapeHtml(link)}">${escapeHtml(label)}</a></p>`,
      paragraphs(closing),
      '</body></html>',
    ].join('\n'),
  };
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
