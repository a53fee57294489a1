import type { SignalBot } from '@tickwright/client'
import { FieldGroup } from '../../parts/Choices.tsx'
import { ProtectDialog } from '../../parts/protection/ProtectDialog.tsx'
import { ProtectionFields } from '../../parts/protection/ProtectionFields.tsx'
import { ProtectionWords, ShortProtection, WatchedNote } from '../../parts/protection/ProtectionWords.tsx'
import type { Protected, Protection } from '../../parts/protection/words.ts'
import { moment } from './moment.ts'
import type { Exhibit } from './sample.tsx'

const note = 'The service watches the price and acts itself, so nothing acts while it is not running.'

const keptNote = 'A stop is an order at the exchange, which acts also while the service is not running.'

const nothing: Protection = {
  stop_loss: null,
  take_profit: [],
  trailing: null,
  break_even: null,
  exit_after_seconds: null,
}

const everything: Protection = {
  stop_loss: '2%',
  take_profit: [
    { at: '2R', part: '0.5' },
    { at: '70000', part: '0.25' },
  ],
  trailing: { by: '1%', from: '4%', step: '0.5%' },
  break_even: { after: '1R', plus: '0.1R' },
  exit_after_seconds: 172_800,
}

/** A position of 0.02 BTC at 62,448.98. */
function held(
  settings: Protection,
  changes: Partial<NonNullable<Protected['protection']>> = {},
  side: 'long' | 'short' = 'long',
): Protected {
  const watched = { state: 'WATCHED' as const, note, stop_price: null, stop_reason: null, targets: [] }
  const place = { kept_at: 'service' as const, exchange_stop: null, unprotected_seconds: null }
  const protection = { ...watched, ...place, best_price: null, exit_at: null, settings, ...changes }
  return { side, size: '0.02', entry_price: '62448.98', protection }
}

const stop = { stop_price: '61200.0004', stop_reason: 'stop_loss' as const }

const atExchange = (price: string, size: string) => ({
  kept_at: 'exchange' as const,
  exchange_stop: { price, size },
})

const states: readonly [name: string, position: Protected][] = [
  ['nothing', { ...held(nothing), protection: null }],
  ['a stop', held({ ...nothing, stop_loss: '2%' }, stop)],
  ['of a short', held({ ...nothing, stop_loss: '2%' }, { ...stop, stop_price: '63697.9596' }, 'short')],
  [
    'moved to break-even',
    held(
      { ...nothing, stop_loss: '2%', break_even: { after: '1R', plus: null } },
      { stop_price: '62448.98', stop_reason: 'break_even' },
    ),
  ],
  [
    'everything',
    held(everything, {
      ...{ ...stop, best_price: '63100', exit_at: new Date(moment + 172_800_000).toISOString() },
      targets: [
        { price: '64946.939', size: '0.01', kept_at: 'service' as const },
        { price: '70000', size: '0.005', kept_at: 'service' as const },
      ],
    }),
  ],
  ['sent to the exchange', held({ ...nothing, stop_loss: '2%' }, { ...stop, state: 'ARMING' })],
  [
    'at the exchange',
    held(
      { ...nothing, stop_loss: '2%' },
      {
        ...{ ...stop, ...atExchange('61200.1', '0.02'), state: 'PROTECTED', note: keptNote },
        unprotected_seconds: 4.2,
      },
    ),
  ],
  [
    'targets at the exchange',
    held(everything, {
      ...{ ...stop, ...atExchange('61200.1', '0.02'), state: 'PROTECTED', best_price: '63100' },
      note: `${keptNote} 1 of 2 targets is an order at the exchange, and the service watches the others.`,
      targets: [
        { price: '64946.939', size: '0.01', kept_at: 'exchange' as const },
        { price: '70000', size: '0.005', kept_at: 'service' as const },
      ],
    }),
  ],
  [
    'replaced at the exchange',
    held(
      { ...nothing, stop_loss: '2%', trailing: { by: '1%', from: null, step: null } },
      {
        ...{ stop_price: '62469', stop_reason: 'trailing', best_price: '63100' },
        ...{ ...atExchange('61200.1', '0.01'), state: 'ADJUSTING', note: keptNote },
      },
    ),
  ],
  ['being closed', held({ ...nothing, stop_loss: '2%' }, { ...stop, state: 'CLOSING' })],
  ['called off', held({ ...nothing, stop_loss: '2%' }, { ...stop, state: 'CALLED_OFF' })],
]

const noProblem = () => undefined
const problems: Readonly<Record<string, string>> = {
  'protection.stop_loss': 'must be below the entry price',
  'protection.trailing': 'needs a stop',
}

export const protection: readonly Exhibit[] = [
  {
    name: 'ShortProtection',
    samples: states.map(([name, position]) => ({ name, content: <ShortProtection position={position} /> })),
  },
  {
    name: 'ProtectionWords',
    samples: [
      ...states.map(([name, position]) => ({ name, content: <ProtectionWords position={position} /> })),
      {
        name: 'below a list',
        content: <WatchedNote positions={states.map(([, position]) => position)} />,
      },
    ],
  },
  {
    name: 'ProtectionFields',
    samples: [
      ['empty', null, noProblem] as const,
      ['everything', everything, noProblem] as const,
      ['refused', everything, (field: string) => problems[field]] as const,
    ].map(([name, settings, problemOf]) => ({
      name,
      content: (
        <FieldGroup title="Protection">
          <ProtectionFields protection={settings} problemOf={problemOf} />
        </FieldGroup>
      ),
    })),
  },
]

/** As much of a bot as the dialog needs. */
const bot = {
  ...{ id: 1, name: 'Follower', mode: 'paper', demo: false },
  positions: [{ ...states[4]![1], symbol: 'BTC/USDT', price: '63000', unrealised: '11.02' }],
} as unknown as SignalBot

export function Protect({ onClose }: { onClose: () => void }) {
  return <ProtectDialog bot={bot} symbol="BTC/USDT" onClose={onClose} />
}
