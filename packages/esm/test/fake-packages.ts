/** Packages of a few lines, published in version 1. */
import type { FakeRegistry } from './registry/fake-registry.ts';

export interface FakePackage {
  readonly name: string;
  /** Names of packages of version 1. */
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

/** A module that notes when it runs. */
export function moduleText(name: string, text = 'export const value = 1;'): string {
  return `${text}\n(globalThis.ran ??= []).push("${name}");`;
}
