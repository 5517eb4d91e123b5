import type { PreactHooks } from './preact-options.ts';

/** A refresh runtime: React's or Preact's, each a script of its own. */
export interface RefreshRuntime {
  /** Registers the newest version of a component. */
  register(type: unknown, id: string): void;
  /** Creates the function that records which hooks a component or hook calls. */
  createSigner(): SignatureFunction;
  isComponent(value: unknown): boolean;
  /** Refreshes all components registered since the last call. */
  perform(): void;
  /** Preact only: the runtime's option hooks. */
  hooks?: PreactHooks;
}

/** Called with a key when the module runs, and without arguments when the component renders. */
export type SignatureFunction = (type?: unknown, key?: string, ...rest: unknown[]) => unknown;
