import type { PreactHooks } from './preact-options.ts';

/** What refreshes components in place: React's own runtime, or Preact's. Scripts of their own. */
export interface Refresher {
  /** Says that this is the newest version of the component with that id. */
  register(type: unknown, id: string): void;
  /** For one component or hook: notes which hooks it calls. */
  createSigner(): Signer;
  isComponent(value: unknown): boolean;
  /** Shows what has been registered since. */
  perform(): void;
  /** Of Preact's: what it wants to hear of rendering. */
  hooks?: PreactHooks;
}

/** With a key as the module runs, without one whenever the component renders. */
export type Signer = (type?: unknown, key?: string, ...rest: unknown[]) => unknown;
