import { Link } from '@tanstack/react-router'
import { plainText } from '../../base/text.ts'
import { strategyPath } from '../../data/paths.ts'
import { MoveButton } from '../../parts/folders/MoveButton.tsx'
import type { Placed } from '../../parts/folders/tree.ts'
import { Action, Status } from '../../parts/Marks.tsx'
import { type Column, rowLinkClass } from '../../parts/Rows.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { kindOf, kindTexts } from './kinds.ts'
import { NextRun } from './NextRun.tsx'
import { Profits } from './Profits.tsx'
import { type Profit, profitDays } from './profits.ts'
import styles from './strategies.module.css'
import type { Listed } from './strategies.ts'

/** The link of a row to the page of its strategy. */
export function rowLink({ id, type, name }: Listed) {
  return (
    <Link
      to={strategyPath(type, id)}
      className={rowLinkClass}
      aria-label={plainText(name) || `Strategy ${id}`}
    />
  )
}

/** The columns of the list. Once there are folders, each row has a button that moves its strategy. */
export function columnsWith(
  tree: readonly Placed[],
  profits: ReadonlyMap<number, readonly Profit[]>,
  onMove: (strategy: Listed) => void,
): Column<Listed>[] {
  const paths = new Map(tree.map(({ id, path }) => [id, path]))
  const move: Column<Listed> = {
    name: 'Move',
    width: '36px',
    isWide: true,
    cell: (strategy) => (
      <MoveButton name={strategy.name || String(strategy.id)} onClick={() => onMove(strategy)} />
    ),
  }
  return [
    {
      name: 'Name',
      width: 'minmax(120px, 2fr)',
      // The tree of folders is beside the list, so there is no room for a column of its own.
      cell: ({ id, name, folder_id }) => (
        <>
          <Foreign text={name || `Strategy ${id}`} />
          {folder_id !== null && (
            <span className={styles.soft}>
              {' '}
              <Foreign text={paths.get(folder_id) ?? ''} />
            </span>
          )}
        </>
      ),
    },
    {
      name: 'Kind',
      width: '96px',
      // Not on the second line of a phone: the profit and the next run need its room, and a filter has the kind.
      isWide: true,
      cell: ({ type }) => kindTexts[kindOf(type)],
    },
    { name: 'Status', width: '88px', cell: ({ status }) => <Status status={status} /> },
    {
      name: 'Last action',
      width: '76px',
      cell: ({ last_trigger }) => <Action action={last_trigger.action} />,
    },
    {
      name: `Profit, ${profitDays} days`,
      width: 'minmax(148px, 1.2fr)',
      isNumber: true,
      isWide: true,
      isSecond: true,
      secondName: `${profitDays} days`,
      cell: ({ id }) => <Profits profits={profits.get(id)} />,
    },
    {
      name: 'Next run',
      width: '96px',
      isNumber: true,
      isWide: true,
      isSecond: true,
      cell: (strategy) => <NextRun strategy={strategy} />,
    },
    {
      name: 'Last run',
      width: '96px',
      isNumber: true,
      isWide: true,
      cell: ({ last_run_at }) => <Time at={last_run_at} />,
    },
    ...(tree.length > 0 ? [move] : []),
  ]
}
