/** Scaling: costs should grow with what is done, not with the size of everything. */
import type { Bench } from '../bench.ts';
import { benches as gallery } from './gallery.ts';
import { benches as growth } from './growth.ts';
import { benches as hardTyping } from './hard-typing.ts';
import { benches as versions } from './versions.ts';

export const benches: readonly Bench[] = [...growth, ...hardTyping, ...gallery, ...versions];

export { counts } from './bytes.ts';
