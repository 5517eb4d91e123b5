/** Packages of a few lines, published as version 1.0.0. */
import type { FakeRegistry } from '@vitrine/testing/registry';

export interface FakePackage {
  readonly name: string;
  /** Names of dependencies, all of version 1. */
  readonly needs?: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

export function publishAll(registry: FakeRegistry, packages: readonly FakePackage[]): void {
  for (const { name, needs = [], files, manifest = {} } of packages) {
    const dependencies = Object.fromEntries(needs.map((need) => [need, '1']));
    const fields = { type: 'module', dependencies, ...manifest };
    registry.publish({ name, version: '1.0.0', files, manifest: fields });
  }
}

/** Text of a module that records that it has run. */
export function moduleText(name: string, text = 'export const value = 1;'): string {
  return `${text}\n(globalThis.ran ??= []).push("${name}");`;
}
