/*
 * What AltGr, or Option on a Mac, types on the keyboard layouts in widest use, for tests that no
 * shortcut takes it. AltGr's characters are those of xkeyboard-config, in the order of `usKeys`, with
 * a dot for nothing and for dead keys. Option's are Apple's, as far as code needs them: pairs of the
 * key's character on a U.S. keyboard, and what it types.
 */

/** The characters that the keys type on a U.S. keyboard, row by row, and `<` for the key beside Z. */
const usKeys = "`1234567890-=qwertyuiop[]asdfghjkl;'\\<zxcvbnm,./";

const optionOfUs =
  "1¡ 2™ 3£ 4¢ 5∞ 6§ 7¶ 8• 9ª 0º -– =≠ qœ w∑ r® t† y¥ oø pπ [“ ]‘ aå sß d∂ fƒ g© j∆ l¬ ;… 'æ \\« <§ zΩ x≈ cç v√ b∫ mµ ,≤ .≥ /÷";

interface KeyboardLayout {
  readonly name: string;
  readonly altGr: string;
  readonly option: string;
}

/** In no particular order. */
export const keyboardLayouts: readonly KeyboardLayout[] = [
  { name: 'U.S.', altGr: '·····································|··········', option: optionOfUs },
  {
    name: 'U.S. International',
    altGr: "`¡²³¤€¼½¾‘’¥×äåé®þüúíóö«»áßðfghjœø¶'¬\\æx©vbñµç·¿",
    option: optionOfUs,
  },
  { name: 'British', altGr: '|¹²³€½¾{[]}\\·@ſe¶ŧ←↓→øþ··æßðđŋħ·ĸł···|«»¢„“”µ•··', option: '3#' },
  {
    name: 'German',
    altGr: '¬¹²³¼½¬{[]}\\¸@ſ€¶ŧ←↓→øþ¨~æſðđŋħ·ĸł˝^’|»«¢„“”µ·…–',
    option: '5[ 6] 7| 8{ 9} e€ l@ n~',
  },
  {
    name: 'Swiss German',
    altGr: '¬|@#¼½¬|¢]}··@ſ€¶ŧ←↓→œþ[]æßðđŋħ·ĸł·{}\\«»¢„“”µ•··',
    option: '3# 5[ 6] 7| 8{ 9} e€ g@',
  },
  {
    name: 'French',
    altGr: '¬¹~#{[|`\\^@]}æ«€¶ŧ←↓→øþ·¤@ßðđŋħ·ĸłµ··|ł»¢„“”·•··',
    option: '5{ -} n~',
  },
  {
    name: 'Spanish',
    altGr: '\\|@#~½¬{[]}\\·@ſ€¶ŧ←↓→øþ[]æßðđŋħ·ĸł·{}|«»¢„“”µ•··',
    option: "`\\ 1| 2@ 3# [[ ]] '{ \\} n~",
  },
  {
    name: 'Latin American',
    altGr: '¬|@·~½¬{[]}\\·@ſ€¶ŧ←↓→øþ·~æßðđŋħ·ĸł~··\\«»¢„“”µ•··',
    option: 'q@',
  },
  { name: 'Portuguese', altGr: '¬¹@£§½¬{[]}\\·@ſ€¶ŧ←↓→øþ··æßðđŋħ·ĸł···\\«»¢„“”µ•··', option: '2@' },
  {
    name: 'Brazilian',
    altGr: '¬¹²³£¢¬{[]}\\§/?°®ŧ←↓→øþ´ªæßðđŋħ·ĸł·~º·«»©„“”µ•··',
    option: optionOfUs,
  },
  {
    name: 'Italian',
    altGr: '¬¹²³¼½¬{[]}`~@ſ€¶ŧ←↓→øþ[]æßðđŋħ·ĸł@#·««»¢“”ñµ···',
    option: ";@ '# [[ ]] e€",
  },
  {
    name: 'Polish',
    altGr: '¬≠²³¢€½§·«»–·πœę©ß←↓→óþ··ąśðæŋ’ə…ł···|żźć„”ńµ≤≥·',
    option: 'aą cć eę lł nń oó sś xź zż',
  },
  {
    name: 'Swedish',
    altGr: '¶¡@£$€¥{[]}\\±@ſ€®þ←↓→œþ··ªßðđŋħ·ĸłøæ´|«»©„“”µ···',
    option: '2@ 4$ 7| 8[ 9] e€',
  },
  {
    name: 'Danish',
    altGr: '¾¡@£$½¥{[]}±|@ſ€®þ←↓→œþ··ªßðđŋħ·ĸł···\\«»©„“”µ···',
    option: '8[ 9] i|',
  },
  {
    name: 'Norwegian',
    altGr: '¦¡@£$½¥{[]}±·@ſ€®þ←↓→œπ··ªßðđŋħ·ĸł···½«»©„“”µ·…–',
    option: '7| 8[ 9]',
  },
  { name: 'Dutch', altGr: "¬¹²³¼½¾£{}°\\·@ſ€¶þÿüïò¶~·áßðªŋħ·ĸł·'·|«»¢“”ñμ¸··", option: optionOfUs },
  {
    name: 'Turkish Q',
    altGr: "<>£#$½¾{[]}\\|@·€¶₺←ûîô··~âß·ª·····´'`|«»¢„“”µ×··",
    option: 'q@ 3# 7{ 8[ 9] 0}',
  },
  {
    name: 'Hungarian',
    altGr: '¬~·^···`·····\\|Ä¶ŧ–€Í„”÷×äđĐ[]ħíłŁ$ß¤<>#&@{}<;>*',
    option: 'q\\ w| f[ g] x# v@ b{ n}',
  },
  {
    name: 'Czech',
    altGr: "`!@#$%^&*{}\\·\\|€¶ŧ←↓→øþ[]~đĐ[]`'łŁ$'\\/°#&@{}^<>*",
    option: '2@ 3# 4$ 6^ 7& 8*',
  },
  { name: 'Russian', altGr: '········₽····························|··········', option: '' },
];

interface TypedCharacter {
  /** `KeyboardEvent.keyCode` of the key. */
  readonly keyCode: number;
  readonly character: string;
}

const symbolKeyCodes: Readonly<Record<string, number>> = {
  ';': 186,
  '=': 187,
  ',': 188,
  '-': 189,
  '.': 190,
  '/': 191,
  '`': 192,
  '[': 219,
  '\\': 220,
  ']': 221,
  "'": 222,
  '<': 226,
};

/** @param key What the key types on a U.S. keyboard, without AltGr or Option. */
function getKeyCode(key: string): number {
  return symbolKeyCodes[key] ?? key.toUpperCase().charCodeAt(0);
}

/** What AltGr types on a layout. */
export function listAltGrCharacters({ altGr }: KeyboardLayout): TypedCharacter[] {
  return [...altGr]
    .map((character, index) => ({ keyCode: getKeyCode(usKeys.charAt(index)), character }))
    .filter(({ character }) => character !== '·');
}

/** What Option types on a layout. */
export function listOptionCharacters({ option }: KeyboardLayout): TypedCharacter[] {
  const pairs = option === '' ? [] : option.split(' ');
  return pairs.map((pair) => ({
    keyCode: getKeyCode(pair.charAt(0)),
    character: pair.slice(1),
  }));
}
