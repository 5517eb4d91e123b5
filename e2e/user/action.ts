import type { Choice, Model } from './model.ts';
import type { World } from './world.ts';

/** Something that people do. */
export interface Action {
  readonly name: string;
  readonly weight: number;
  /** Files, where they are kept, or who may see them are others afterwards: everything is checked. */
  readonly isStructural?: true;
  /** It can be done without a connection. */
  readonly worksOffline?: true;
  /** It asks Chromium for what others have no protocol for. */
  readonly isChromium?: true;
  /** Complaints of the browser that the action itself is the reason for. */
  readonly allows?: RegExp;
  /** Lines of the server's log that it is the reason for. */
  readonly allowsInLog?: RegExp;
  /** Changes the model and gives what to do in the browser; undefined, and no change, where it cannot be done. */
  plan(model: Model, choice: Choice): Perform | undefined;
}

type Perform = (world: World) => Promise<void>;
