import { randomInt } from 'node:crypto'

const first = [
  ...['Amber', 'Autumn', 'Brisk', 'Bright', 'Calm', 'Clear', 'Cobalt', 'Copper', 'Coral', 'Crimson', 'Early'],
  ...[
    'Eager',
    'Fair',
    'Golden',
    'Grand',
    'Hidden',
    'Ivory',
    'Jade',
    'Keen',
    'Late',
    'Lively',
    'Lucky',
    'Misty',
  ],
  ...['Noble', 'Patient', 'Quiet', 'Rapid', 'Silver', 'Steady', 'Sunny', 'Velvet', 'Winter'],
]
const second = [
  ...['Anchor', 'Badger', 'Beacon', 'Birch', 'Canyon', 'Cedar', 'Comet', 'Crane', 'Delta', 'Falcon', 'Fern'],
  ...[
    'Finch',
    'Forest',
    'Harbour',
    'Heron',
    'Island',
    'Lantern',
    'Lynx',
    'Maple',
    'Meadow',
    'Orchid',
    'Otter',
  ],
  ...['Pebble', 'Pine', 'Raven', 'River', 'Sparrow', 'Summit', 'Thistle', 'Tiger', 'Valley', 'Willow'],
]

/** Two words, such as “Brisk Otter”, for something that its owner has given no name. They may repeat. */
export function madeUpName(): string {
  return `${first[randomInt(first.length)]} ${second[randomInt(second.length)]}`
}

const longestName = 255

/** The name of a bot that its owner has given none: its symbols, or two words if it has none, or too many. */
export function nameOfSymbols(symbols: readonly string[] = []): string {
  const name = symbols.join(', ')
  return name === '' || name.length > longestName ? madeUpName() : name
}
