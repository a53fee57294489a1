import { Link } from '@tanstack/react-router'
import type { User } from '@tickwright/client'
import { useCallback, useState } from 'react'
import { count } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { ChoiceFilter, TextFilter } from '../../parts/Filter.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { type Column, Rows, rowLinkClass } from '../../parts/Rows.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import styles from './administration.module.css'
import { usersQuery } from './administration.ts'
import { InviteDialog } from './InviteDialog.tsx'
import { isUserWanted } from './search.ts'
import { UserDialog } from './UserDialog.tsx'
import type { View } from './view.ts'

const columns: Column<User>[] = [
  {
    name: 'User',
    width: 'minmax(150px, 3fr)',
    cell: ({ email, name }) => (
      <span className={styles.name}>
        <Foreign text={email} />
        {name !== '' && <Foreign text={name} />}
      </span>
    ),
  },
  { name: 'Role', width: '104px', cell: ({ role }) => roleText(role), isWide: true, isSecond: true },
  { name: 'Status', width: '88px', cell: ({ status }) => <Status status={status} /> },
  { name: 'Number', width: '72px', isNumber: true, isWide: true, cell: ({ id }) => id },
  {
    name: 'Created',
    width: '110px',
    isNumber: true,
    isWide: true,
    isSecond: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]

function roleText(role: User['role']): string {
  return role === 'admin' ? 'Administrator' : 'User'
}

/** All users of the installation. Each opens what can be changed about it. */
export function Users({ search, change, myId }: View & { myId: number }) {
  const { data, error, refetch } = useQuery(usersQuery)
  const [isInviting, setInviting] = useState(false)
  const changeText = useCallback((q: string | undefined) => change({ q }), [change])
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton />
  const wanted = data.filter((user) => isUserWanted(user, search))
  const shown = data.find(({ id }) => id === search.user)
  const administrators = data.filter(({ role, status }) => role === 'admin' && status === 'ACTIVE')
  return (
    <>
      <div className={styles.bar}>
        <TextFilter label="Address or name" value={search.q} onChange={changeText} />
        <ChoiceFilter
          label="Role"
          all="Any role"
          choices={[
            { value: 'admin', text: 'Administrators' },
            { value: 'user', text: 'Users' },
          ]}
          value={search.role}
          onChange={(role) => change({ role })}
        />
        <ChoiceFilter
          label="Status"
          all="Any status"
          choices={[
            { value: 'ACTIVE', text: 'Active' },
            { value: 'DISABLED', text: 'Disabled' },
          ]}
          value={search.status}
          onChange={(status) => change({ status })}
        />
        <span className={styles.total}>{count(wanted.length, 'user')}</span>
        <Button look="primary" onClick={() => setInviting(true)}>
          Invite
        </Button>
      </div>
      {wanted.length === 0 ? (
        <Empty
          title="No user fits these filters"
          action={
            <Link to="/administration" search={{ tab: 'users' }}>
              Show all users
            </Link>
          }
        />
      ) : (
        <div className={styles.list}>
          <Rows
            label="Users"
            columns={columns}
            items={wanted}
            idOf={({ id }) => id}
            isChosen={({ id }) => id === search.user}
            link={({ id, email }) => (
              <Link
                to="/administration"
                search={{ ...search, tab: 'users', user: id }}
                className={rowLinkClass}
                aria-label={`Change ${plainText(email)}`}
              />
            )}
          />
        </div>
      )}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {shown !== undefined && (
        <UserDialog
          key={shown.id}
          user={shown}
          isSelf={shown.id === myId}
          isLastAdministrator={administrators.length === 1 && administrators[0]!.id === shown.id}
          onClose={() => change({ user: undefined })}
        />
      )}
    </>
  )
}
