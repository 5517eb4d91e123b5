import type { SeededChoice, Model } from './model.ts';
import type { World } from './world.ts';

/** Something that users do. */
export interface Action {
  readonly name: string;
  readonly weight: number;
  /**
   * The action changes files, their storage or their visibility, so everything is checked
   * afterwards.
   */
  readonly isStructural?: true;
  /** The action works offline. */
  readonly worksOffline?: true;
  /** The action requires Chromium's DevTools protocol. */
  readonly isChromium?: true;
  /** Browser complaints that the action causes. */
  readonly allows?: RegExp;
  /** Lines of the server's log that the action causes. */
  readonly allowsInLog?: RegExp;
  /**
   * Changes the model and returns what to do in the browser. Undefined, without a change, if not
   * possible.
   */
  plan(model: Model, choice: SeededChoice): Perform | undefined;
}

type Perform = (world: World) => Promise<void>;
