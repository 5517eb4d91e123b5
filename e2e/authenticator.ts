/** An authenticator app, as far as tests need one. */
import { expect } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import type { Person } from './person.ts';

/** The code of a key some steps of 30 seconds from now: each is taken once, until a step behind its own. */
export function codeOf(key: string, steps = 1): string {
  const totp = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) });
  return totp.generate({ timestamp: Date.now() + steps * 30_000 });
}

/** Begins to add one by the settings that are open; gives its key. */
export async function beginAuthenticator({ page }: Person, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Add authenticator' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add authenticator' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByRole('img', { name: 'QR code of the key' })).toBeVisible();
  return dialog.getByLabel('Key').inputValue();
}

/** Adds one, and shows its code of now. */
export async function addAuthenticator(person: Person, name: string): Promise<string> {
  const key = await beginAuthenticator(person, name);
  const dialog = person.page.getByRole('dialog', { name: 'Add authenticator' });
  await dialog.getByLabel('Code from the authenticator app').fill(codeOf(key, 0));
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(person.page.getByText(`${name} added`)).toBeVisible();
  return key;
}
