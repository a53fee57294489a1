/** Every kind of number that JSON allows, as text: what a sender may write as a size. */
import fc from 'fast-check'

const digits = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: least, maxLength: most })

/** A number in JSON's grammar with any exponent, within the range of a double or not. */
const written = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constant('0'),
      fc.nat().map(String),
      digits(1, 400).map((text) => `1${text}`),
    ),
    fc.oneof(
      fc.constant(''),
      digits(1, 30).map((text) => `.${text}`),
      digits(300, 400).map((text) => `.${text}`),
    ),
    fc.oneof(
      fc.constant(''),
      fc.integer({ min: -420, max: 420 }).map((exponent) => `e${exponent}`),
    ),
  )
  .map((parts) => parts.join(''))

/** Edge cases: zero, the bounds, and the limits of doubles and of whole numbers. */
const borders = fc.constantFrom(
  ...[
    '0',
    '-0',
    '5e-324',
    '-5e-324',
    '2.2250738585072014e-308',
    '1e-201',
    '1e-200',
    '1e-19',
    '9.99e-19',
    '1e-18',
  ],
  ...[
    '1e-7',
    '0.1',
    '1',
    '99999999999999999999',
    '9007199254740993',
    '-9007199254740993',
    '1e18',
    '1.01e18',
    '1e30',
  ],
  ...['1e200', '1e201', '1.7976931348623157e308', '1e400', '-1e400', '1e-400', '1E5', '1e+5', '-1'],
)

const number = fc.oneof(
  borders,
  written,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  // Subnormal doubles, which `fc.double` rarely makes.
  fc.integer({ min: 1, max: 1_000_000 }).map((steps) => JSON.stringify(steps * Number.MIN_VALUE)),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
)

const words = fc.constantFrom(
  '',
  ' ',
  'NaN',
  'Infinity',
  '-Infinity',
  '0x10',
  '00',
  '-0',
  '1,5',
  '1_000',
  '5n',
  'null',
)
const text = fc
  .oneof(
    number,
    words,
    number.map((value) => ` ${value} `),
    number.map((value) => `+${value}`),
  )
  .map((value) => JSON.stringify(value))

const other = fc.constantFrom('null', 'true', 'false', '[]', '{}')

/** JSON text of one value: a number, a string with a number, or a value that contains a number. */
export const jsonNumber: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: number },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: other },
  {
    weight: 1,
    arbitrary: fc.tuple(number, fc.constantFrom('[', '{"size":', '[[')).map(([inner, open]) => {
      return `${open}${inner}${open === '{"size":' ? '}' : open === '[[' ? ']]' : ']'}`
    }),
  },
)
