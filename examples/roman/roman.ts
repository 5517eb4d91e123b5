/** From the largest on; two letters where one is taken from the next. */
const letters: readonly [letters: string, value: number][] = [
  ['M', 1000],
  ['CM', 900],
  ['D', 500],
  ['CD', 400],
  ['C', 100],
  ['XC', 90],
  ['L', 50],
  ['XL', 40],
  ['X', 10],
  ['IX', 9],
  ['V', 5],
  ['IV', 4],
  ['I', 1],
];

/** 1984 → "MCMLXXXIV". Throws outside of 1 to 3999, for which there are no letters. */
export function toRoman(year: number): string {
  if (!Number.isInteger(year) || year < 1 || year > 3999)
    throw new RangeError(`There are no Roman numerals for ${year}.`);
  let rest = year;
  let roman = '';
  for (const [letter, value] of letters) {
    roman += letter.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return roman;
}

/** "MCMLXXXIV" → 1984. Throws for what `toRoman` would not write. */
export function fromRoman(roman: string): number {
  let rest = roman;
  let year = 0;
  for (const [letter, value] of letters)
    while (rest.startsWith(letter)) {
      rest = rest.slice(letter.length);
      year += value;
    }
  if (rest !== '' || year === 0 || toRoman(year) !== roman)
    throw new SyntaxError(`“${roman}” is no Roman numeral.`);
  return year;
}
