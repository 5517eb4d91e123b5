import { isWithin, plants } from './plants';

const summer = 5;

/** The month that is looked at, and the plants in the order that suits it. */
class Year {
  month = $state(summer);
  plants = $derived(
    plants
      .map((plant) => ({
        ...plant,
        isSown: isWithin(this.month, plant.sow),
        isPicked: isWithin(this.month, plant.pick),
      }))
      .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name)),
  );
}

function rank({ isSown, isPicked }: { isSown: boolean; isPicked: boolean }): number {
  return isPicked ? 0 : isSown ? 1 : 2;
}

export const year = new Year();
