import type { AuditEvent } from '@tickwright/client'
import { plainText } from '../../base/text.ts'
import type { Column } from '../../parts/Rows.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import styles from './audit.module.css'
import { causeText, detailsText, eventText, isAttempt } from './audit-text.ts'

/** The part of the details that a row shows. Hovering shows more. */
const shownOfDetails = 300

/** @param nameOf how the page calls a user */
export function eventColumns(nameOf: (userId: number) => string): Column<AuditEvent>[] {
  return [
    { name: 'When', width: '110px', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: 'What',
      width: 'minmax(160px, 2fr)',
      cell: ({ event }) => (
        <span className={isAttempt(event) ? styles.attempt : undefined}>
          <Foreign text={eventText(event)} />
        </span>
      ),
    },
    {
      name: 'By',
      width: 'minmax(120px, 2fr)',
      isWide: true,
      isSecond: true,
      cell: (event) => <Foreign text={causeText(event, nameOf)} />,
    },
    {
      name: 'From',
      width: 'minmax(96px, 1fr)',
      isWide: true,
      cell: ({ ip }) => <Foreign text={ip ?? '–'} />,
    },
    {
      name: 'Details',
      width: 'minmax(120px, 3fr)',
      isWide: true,
      isSecond: true,
      cell: ({ details }) => {
        const text = plainText(detailsText(details).slice(0, shownOfDetails))
        return <span title={text}>{text}</span>
      },
    },
  ]
}
