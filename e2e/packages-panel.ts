/** Locators in the packages panel. */
import { expect, type Locator } from '@playwright/test';
import type { Person } from './person.ts';

export const panel = ({ page }: Person) => page.getByRole('region', { name: 'Packages' });
export const field = (person: Person) =>
  panel(person).getByRole('textbox', { name: 'Add package' });
export const item = (person: Person, name: string): Locator =>
  panel(person).getByRole('listitem', { name, exact: true });

export async function openPanel(person: Person): Promise<void> {
  await person.page.getByRole('button', { name: 'Packages', exact: true }).click();
  await expect(panel(person)).toBeVisible();
}
