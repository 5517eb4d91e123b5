import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';
import type { AuthContext } from './context.ts';

const periodSeconds = 30;

interface NewTotp {
  /** In base32, for typing it in. */
  secret: string;
  uri: string;
  /** The URI as a QR code, in SVG. */
  qrCode: string;
}

/** Creates the setup data of an authenticator app (RFC 6238): six digits, SHA-1, 30 seconds. */
export function createTotp(issuer: string, account: string): NewTotp {
  const totp = new TOTP({ issuer, label: account, secret: new Secret({ size: 20 }) });
  const uri = totp.toString();
  return { secret: totp.secret.base32, uri, qrCode: renderSVG(uri) };
}

/**
 * Finds the time step of a code, allowing one step of clock drift; undefined when the code is
 * wrong. The caller rejects steps up to the last one used.
 */
export function findTotpStep(secret: string, code: string): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: periodSeconds });
  const now = Date.now();
  const delta = totp.validate({ token: code, window: 1, timestamp: now });
  return delta === null ? undefined : Math.floor(now / 1000 / periodSeconds) + delta;
}

/**
 * Encrypts with AES-256-GCM: 12 bytes of nonce, 16 of tag, the ciphertext. The factor's id is
 * authenticated data.
 */
export function encryptSecret(
  { factorKey }: AuthContext,
  factorId: string,
  secret: string,
): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', factorKey, nonce).setAAD(Buffer.from(factorId));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

/** Throws when the secret was modified, or belongs to another factor or instance. */
export function decryptSecret(
  { factorKey }: AuthContext,
  factorId: string,
  encrypted: string,
): string {
  const bytes = Buffer.from(encrypted, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', factorKey, bytes.subarray(0, 12))
    .setAAD(Buffer.from(factorId))
    .setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}
