import { formatNumber } from '../../base/numbers.ts'
import { useQuery } from '../../data/use-query.ts'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time, Value } from '../../parts/Values.tsx'
import styles from './backtests.module.css'
import { type Sweep, sweepQuery } from './backtests.ts'
import { Checks } from './Checks.tsx'
import {
  byResult,
  type Combination,
  type HeatMap,
  heatMapOf,
  resultOf,
  textAt,
  warmthOf,
} from './heat-map.ts'
import { axisText, settingText } from './words.ts'

/** What a sweep tried: a map, what surrounds the best combination, and a table of them. */
export function SweepTab({ id }: { id: number }) {
  const { data: sweep, error, refetch } = useQuery(sweepQuery(id))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (sweep === undefined) return <Skeleton />
  const map = heatMapOf(sweep)
  return (
    <>
      {sweep.walk_forward ? <Windows windows={sweep.walk_forward} /> : <Neighbours sweep={sweep} />}
      {map !== null && (
        <Section title={`Map of ${settingText(sweep.objective)}`}>
          <ResultMap map={map} sweep={sweep} />
        </Section>
      )}
      <Section title="Was it luck?">
        <Checks checks={sweep.checks} />
      </Section>
      <Section title="Combinations">
        <EarlyEnds sweep={sweep} />
        <Combinations sweep={sweep} />
      </Section>
    </>
  )
}

const textOf = (result: number | null) => (result === null ? '–' : formatNumber(result, { digits: 2 }))

type WalkWindow = NonNullable<Sweep['walk_forward']>[number]

/** What a walk-forward chose. The table of combinations has them on the whole time. */
function Windows({ windows }: { windows: readonly WalkWindow[] }) {
  return (
    <>
      <p>
        In each window, the combination with the best return of the training was traded in the test after it.
        The other tabs show all tests together.
      </p>
      <Table
        label="Windows"
        items={windows}
        idOf={({ test_from }) => Date.parse(test_from)}
        columns={[
          { name: 'Test from', cell: ({ test_from }) => <Time at={test_from} /> },
          {
            name: 'Chosen',
            cell: ({ parameters }) => (
              <Foreign
                text={Object.entries(parameters)
                  .map(([name, value]) => `${name} ${value}`)
                  .join(', ')}
              />
            ),
          },
          windowReturn('Training, %', ({ train_return_percent }) => train_return_percent),
          windowReturn('Test, %', ({ test_return_percent }) => test_return_percent),
        ]}
      />
    </>
  )
}

function windowReturn(name: string, of: (window: WalkWindow) => number): TableColumn<WalkWindow> {
  return { name, isNumber: true, cell: (window) => <Value value={of(window)} digits={2} isResult /> }
}

function Neighbours({ sweep }: { sweep: Sweep }) {
  const { best, combinations, axes, neighbours, neighbours_mean: mean, objective } = sweep
  const own = combinations[best - 1]!
  const chosen = axes.map((axis) => `${axisText(axis)} ${textAt(own, axis)}`).join(', ')
  return (
    <>
      <p>
        The best of {formatNumber(combinations.length)} combinations has <Foreign text={chosen} />. Its{' '}
        {settingText(objective)} is {textOf(resultOf(own, sweep))}
        {mean !== null && `, and that of its neighbours ${textOf(mean)} on average`}. The other tabs show this
        combination.
      </p>
      {neighbours.length > 0 && (
        <Table
          label="Neighbours of the best"
          items={neighbours}
          idOf={({ combination }) => combination}
          columns={[
            { name: 'Neighbour', cell: (each) => <Foreign text={`${axisText(each)} ${each.value}`} /> },
            {
              name: 'Change',
              isNumber: true,
              cell: ({ change }) => <Value value={change} digits={2} isResult />,
            },
          ]}
        />
      )}
    </>
  )
}

function EarlyEnds({ sweep: { combinations } }: { sweep: Sweep }) {
  const early = combinations.filter((each) => (each.ended_at ?? null) !== null).length
  if (early === 0) return null
  return (
    <p>
      {formatNumber(early)} of them ended early, because their equity had fallen too far. They are at the end
      of the table, and none of them can be the best.
    </p>
  )
}

/** A table: the colour says nothing that the text does not say. */
function ResultMap({ map, sweep }: { map: HeatMap; sweep: Sweep }) {
  const { columns, rows, cells } = map
  const corner = rows === null ? axisText(columns) : `${axisText(rows)} \\ ${axisText(columns)}`
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.map} aria-label={`Map of ${settingText(sweep.objective)}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <Foreign text={corner} />
            </th>
            {columns.values.map((value) => (
              <th key={value} scope="col">
                <Foreign text={value} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cells.map((row, index) => (
            <tr key={rows?.values[index] ?? ''}>
              <th scope="row">{rows === null ? 'best' : <Foreign text={rows.values[index]!} />}</th>
              {row.map((each, column) => (
                <td key={columns.values[column]} {...colourOf(each, map, sweep)}>
                  {each?.number === sweep.best && '★ '}
                  {each === null ? '–' : textOf(resultOf(each, sweep))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** At most 35 % of the colour: the text on it must be read. */
function colourOf(each: Combination | null, map: HeatMap, sweep: Sweep) {
  if (each === null) return {}
  const warmth = warmthOf(resultOf(each, sweep) ?? 0, map, sweep)
  const part = Math.round(Math.abs(warmth) * 35)
  const colour = warmth < 0 ? 'var(--loss)' : 'var(--profit)'
  return { style: { background: `color-mix(in oklab, ${colour} ${part}%, transparent)` } }
}

/** More rows than this would hold up the page. */
const mostRows = 200

/** They are sorted by the objective, so that is always a column. */
function Combinations({ sweep }: { sweep: Sweep }) {
  const sorted = sweep.combinations.toSorted(byResult(sweep))
  const varied = sweep.axes.map(
    (axis): TableColumn<Combination> => ({
      name: axisText(axis),
      cell: (each) => <Foreign text={textAt(each, axis)} />,
    }),
  )
  const figure = (
    name: string,
    of: (each: Combination) => number | null,
    rest: Partial<TableColumn<Combination>> = {},
  ): TableColumn<Combination> => ({
    ...{ name, isNumber: true, isWide: true },
    cell: (each) => <Value value={of(each)} digits={2} />,
    ...rest,
  })
  const { objective } = sweep
  const isColumn = ['return_percent', 'sharpe', 'profit_factor'].includes(objective)
  return (
    <>
      <Table
        label="Combinations, the best first"
        items={sorted.slice(0, mostRows)}
        idOf={({ number }) => number}
        columns={[
          ...varied,
          ...(isColumn
            ? []
            : [figure(settingText(objective), (each) => resultOf(each, sweep), { isWide: false })]),
          figure('Return', ({ return_percent: value }) => value, {
            isWide: false,
            cell: (each) => <Value value={each.return_percent} digits={2} unit="%" isResult />,
          }),
          figure('Drawdown', ({ max_drawdown_percent: value }) => value, {
            cell: (each) => <Value value={each.max_drawdown_percent} digits={2} unit="%" />,
          }),
          figure('Sharpe', ({ sharpe }) => sharpe, { isWide: objective !== 'sharpe' }),
          figure('Profit factor', ({ profit_factor: value }) => value, {
            isWide: objective !== 'profit_factor',
          }),
          figure('Trades', ({ trades }) => trades, { cell: ({ trades }) => <Value value={trades} /> }),
          figure('Failed runs', ({ failed }) => failed, { cell: ({ failed }) => <Value value={failed} /> }),
        ]}
      />
      {sorted.length > mostRows && (
        <p className={styles.soft}>
          These are the best {mostRows} of {formatNumber(sorted.length)}.
        </p>
      )}
    </>
  )
}
