import { Code } from '../../parts/Code.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Action, Mode, Status } from '../../parts/Marks.tsx'
import { Picture } from '../../parts/Picture.tsx'
import { CopyButton, Secret } from '../../parts/Secret.tsx'
import { Distance, Foreign, Time, Value } from '../../parts/Values.tsx'
import { moment } from './moment.ts'
import { type Exhibit, hostile } from './sample.tsx'

const statuses = [
  'ACTIVE',
  'INACTIVE',
  'SUSPENDED',
  'DISABLED',
  'QUEUED',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'VIOLATION',
  'SKIPPED',
  'WORKING',
  'DELAYED',
  'CLOSING',
  'WAITING',
  'DONE',
  'IGNORED',
  'REFUSED',
  'ALIVE',
  'GONE',
  'OF_A_NEWER_SERVICE',
]

const second = 1000
const day = 86_400 * second

/** Green steps, 64 by 32 pixels. */
const steps =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAAAgCAIAAAAt/+nTAAAASUlEQVR42u3PsQ0AIAwDQZZgHHZjc1iAJlWAnOX6pWvr8TUAAACAXECf4/hoKKsDAAAAAADwJyAayuoAAAAAAADUAtx2AIDqgA1X1BoyMeuBfQAAAABJRU5ErkJggg=='

export const values: readonly Exhibit[] = [
  {
    name: 'Value',
    samples: [
      { name: 'a number', content: <Value value={1234.5} /> },
      { name: 'with its digits and unit', content: <Value value="104.5" digits={2} unit="USDT" /> },
      { name: 'a profit', content: <Value value="12.345" digits={2} unit="USDT" isResult /> },
      { name: 'a loss', content: <Value value="-12.345" digits={2} unit="USDT" isResult /> },
      { name: 'neither', content: <Value value="0" digits={2} unit="USDT" isResult /> },
      { name: 'unknown', content: <Value value={null} unit="USDT" /> },
      { name: 'beyond doubles', content: <Value value="12345678901234567890.123456789" /> },
      { name: 'one wei', content: <Value value="0.000000000000000001" digits={18} unit="ETH" /> },
    ],
  },
  {
    name: 'Picture',
    samples: [
      { name: 'a PNG', content: <Picture png={steps} label="Steps" /> },
      { name: 'no PNG', content: <Picture png="AAAA" label="Nothing" /> },
    ],
  },
  {
    name: 'Times',
    samples: [
      { name: 'today', content: <Time at={moment - 3 * second} /> },
      { name: 'this year', content: <Time at={moment - 9 * day} /> },
      { name: 'another year', content: <Time at={moment - 200 * day} /> },
      { name: 'unknown', content: <Time at={null} /> },
      { name: 'no time', content: <Time at="soon" /> },
      { name: 'how long ago', content: <Distance at={moment - 125 * second} /> },
      { name: 'how soon', content: <Distance at={moment + 3 * day} /> },
    ],
  },
  {
    name: 'Foreign',
    samples: [
      { name: 'a text', content: <Foreign text="Grüße, 多头, 👩‍💻" /> },
      { name: 'hostile', content: <Foreign text={hostile} /> },
      { name: 'with its lines', content: <Foreign text={'first\n\tsecond'} keepLines /> },
      { name: 'very long', content: <Foreign text={'long '.repeat(1000)} /> },
    ],
  },
  {
    name: 'Marks',
    samples: [
      ...statuses.map((status) => ({ name: status.toLowerCase(), content: <Status status={status} /> })),
      ...['LONG', 'SHORT', 'EXIT', null].map((action) => ({
        name: `action ${action ?? 'none'}`,
        content: <Action action={action} />,
      })),
      { name: 'paper', content: <Mode mode="paper" /> },
      { name: 'live', content: <Mode mode="live" /> },
      { name: 'demo account', content: <Mode mode="live" demo /> },
    ],
  },
  {
    name: 'Facts',
    samples: [
      {
        name: 'a row',
        content: (
          <Facts
            facts={[
              ['Mode', <Mode key="mode" mode="paper" />],
              ['Status', <Status key="status" status="ACTIVE" />],
              ['Equity', <Value key="equity" value="10432.1" digits={2} unit="USDT" />],
              ['Symbols', <Foreign key="symbols" text="all that it gets" />],
              ['Hostile', <Foreign key="hostile" text={hostile} />],
            ]}
          />
        ),
      },
    ],
  },
  {
    name: 'Code',
    samples: [
      {
        name: 'a program',
        content: <Code name="program" text={'const rate = 1.5\nreturn rate * $.price'} />,
      },
      { name: 'without a copy button', content: <Code name="payload" text={hostile} canCopy={false} /> },
      {
        name: 'long',
        content: (
          <Code
            name="log"
            text={Array.from({ length: 60 }, (_, line) => `line ${line + 1} of the log`).join('\n')}
          />
        ),
      },
    ],
  },
  {
    name: 'Secret',
    samples: [
      { name: 'hidden', content: <Secret name="address" text="https://example.com/data-webhook/abc" /> },
      { name: 'a button that copies', content: <CopyButton name="link" text="https://example.com" /> },
    ],
  },
]
