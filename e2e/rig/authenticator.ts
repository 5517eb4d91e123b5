/** A minimal authenticator app (TOTP) for tests. */
import { expect } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import type { TestUser } from './test-user.ts';

/**
 * The code of a key some 30-second steps from now. The server accepts each code once, until one
 * step late.
 */
export function generateTotpCode(key: string, steps = 1): string {
  const totp = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) });
  return totp.generate({ timestamp: Date.now() + steps * 30_000 });
}

/** Starts to add an authenticator on the open settings page. Returns its key. */
export async function startAuthenticator({ page }: TestUser, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add authenticator app' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByRole('img', { name: 'QR code' })).toBeVisible();
  return dialog.getByLabel('Setup key').inputValue();
}

/** Adds an authenticator and verifies it with its current code. Returns its key. */
export async function addAuthenticator(person: TestUser, name: string): Promise<string> {
  const key = await startAuthenticator(person, name);
  const dialog = person.page.getByRole('dialog', { name: 'Add authenticator app' });
  await dialog.getByLabel('Code from your authenticator app').fill(generateTotpCode(key, 0));
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(person.page.getByText(`${name} added`)).toBeVisible();
  return key;
}
