/** Locators in the packages panel. */
import { expect, type Locator } from '@playwright/test';
import type { TestUser } from './test-user.ts';

export const panel = ({ page }: TestUser) => page.getByRole('region', { name: 'Packages' });
export const field = (person: TestUser) =>
  panel(person).getByRole('textbox', { name: 'Add package' });
export const item = (person: TestUser, name: string): Locator =>
  panel(person).getByRole('listitem', { name, exact: true });

export async function openPanel(person: TestUser): Promise<void> {
  await person.page.getByRole('button', { name: 'Packages', exact: true }).click();
  await expect(panel(person)).toBeVisible();
}
