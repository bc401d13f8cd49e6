//! seccomp: the calls of the system that a script may make (`seccomp(2)`).
//!
//! A list of what is allowed, so that what the next kernel brings stays closed. It has what Python and its libraries use
//! for computing, files of their own, threads and child processes. It has no way to open a socket (a pair of its own to
//! talk to its children is fine), to look into or trace others, to mount, to make namespaces, to load code into the
//! kernel, to set clocks, or to hand work to the kernel past this filter (`io_uring`).

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// On every processor.
const ALLOWED: [libc::c_long; 176] = [
    libc::SYS_brk,
    libc::SYS_capget,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_clone,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_copy_file_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_fchdir,
    libc::SYS_fcntl,
    libc::SYS_fdatasync,
    libc::SYS_fgetxattr,
    libc::SYS_flistxattr,
    libc::SYS_flock,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getgroups,
    libc::SYS_getitimer,
    libc::SYS_getpgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getpriority,
    libc::SYS_getrandom,
    libc::SYS_getresgid,
    libc::SYS_getresuid,
    libc::SYS_getrlimit,
    libc::SYS_getrusage,
    libc::SYS_getsid,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_getxattr,
    libc::SYS_inotify_add_watch,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_rm_watch,
    libc::SYS_ioctl,
    libc::SYS_ioprio_get,
    libc::SYS_kill,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_restrict_self,
    libc::SYS_lgetxattr,
    libc::SYS_linkat,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_memfd_create,
    libc::SYS_mincore,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_mlock,
    libc::SYS_mlock2,
    libc::SYS_mlockall,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_munlock,
    libc::SYS_munlockall,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_pidfd_open,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_prctl,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_preadv2,
    libc::SYS_prlimit64,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
    libc::SYS_read,
    libc::SYS_readahead,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getattr,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_rr_get_interval,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_yield,
    libc::SYS_sendfile,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_setitimer,
    libc::SYS_setpgid,
    libc::SYS_setpriority,
    libc::SYS_setrlimit,
    libc::SYS_setsid,
    libc::SYS_setsockopt,
    libc::SYS_shutdown,
    libc::SYS_sigaltstack,
    libc::SYS_signalfd4,
    libc::SYS_socketpair,
    libc::SYS_splice,
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_symlinkat,
    libc::SYS_sync_file_range,
    libc::SYS_syncfs,
    libc::SYS_sysinfo,
    libc::SYS_tee,
    libc::SYS_tgkill,
    libc::SYS_timer_create,
    libc::SYS_timer_delete,
    libc::SYS_timer_getoverrun,
    libc::SYS_timer_gettime,
    libc::SYS_timer_settime,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_gettime,
    libc::SYS_timerfd_settime,
    libc::SYS_times,
    libc::SYS_tkill,
    libc::SYS_truncate,
    libc::SYS_umask,
    libc::SYS_uname,
    libc::SYS_unlinkat,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_write,
    libc::SYS_writev,
];
/// Older calls that only this processor has.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: [libc::c_long; 29] = [
    libc::SYS_arch_prctl,
    libc::SYS_access,
    libc::SYS_creat,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_fork,
    libc::SYS_getdents,
    libc::SYS_getpgrp,
    libc::SYS_inotify_init,
    libc::SYS_link,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_mknod,
    libc::SYS_open,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_signalfd,
    libc::SYS_stat,
    libc::SYS_symlink,
    libc::SYS_time,
    libc::SYS_unlink,
    libc::SYS_vfork,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: [libc::c_long; 0] = [];

/// Answered with "not permitted", so that a script says what it may not; all others are answered as if the kernel had no
/// such call, which libraries know how to live with.
const FORBIDDEN: [libc::c_long; 6] =
    [libc::SYS_socket, libc::SYS_ptrace, libc::SYS_mount, libc::SYS_unshare, libc::SYS_bpf, libc::SYS_process_vm_readv];

/// Answered with success and not done. Landlock does not judge them, so they would reach files outside; and a library that
/// copies a file with its mode and times should not fail over it.
const PRETENDED: [libc::c_long; 11] = [
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fsetxattr,
    libc::SYS_lsetxattr,
    libc::SYS_setxattr,
    libc::SYS_removexattr,
    libc::SYS_fremovexattr,
    libc::SYS_lremovexattr,
    libc::SYS_utimensat,
];
/// Older forms of them that only this processor has.
#[cfg(target_arch = "x86_64")]
const PRETENDED_HERE: [libc::c_long; 6] =
    [libc::SYS_lchown, libc::SYS_futimesat, libc::SYS_utime, libc::SYS_utimes, libc::SYS_chmod, libc::SYS_chown];
#[cfg(not(target_arch = "x86_64"))]
const PRETENDED_HERE: [libc::c_long; 0] = [];

/// `clone` may not make namespaces: these bits of its first argument stay unset (`clone(2)`).
const NAMESPACES: u64 = 0x7E02_0080;
/// `ioctl` may not put letters into a terminal's input, as if the person had typed them.
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541C;

/// Closes the calls, here and in all that is started from here. Where the system has no seccomp they stay open, and the
/// probe tells.
pub(super) fn close() {
    for program in programs().unwrap_or_default() {
        drop(seccompiler::apply_filter(&program));
    }
}

/// All that the list of allowed calls lets through to the filters before it.
fn listed() -> impl Iterator<Item = libc::c_long> {
    [&ALLOWED[..], &ALLOWED_HERE, &FORBIDDEN, &PRETENDED, &PRETENDED_HERE].into_iter().flatten().copied()
}

fn programs() -> Result<Vec<BpfProgram>, seccompiler::BackendError> {
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    let mut allowed: BTreeMap<i64, Vec<SeccompRule>> = listed().map(|call| (call, Vec::new())).collect();
    let clone = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(NAMESPACES), 0)?;
    allowed.insert(libc::SYS_clone, vec![SeccompRule::new(vec![clone])?]);
    let not = |value| SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value);
    allowed.insert(libc::SYS_ioctl, vec![SeccompRule::new(vec![not(TIOCSTI)?, not(TIOCLINUX)?])?]);
    // Limits of its own, never of others.
    let own = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0)?;
    allowed.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![own])?]);
    let missing = SeccompAction::Errno(u32::try_from(libc::ENOSYS).unwrap_or(1));
    let denied = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1));
    let forbidden = FORBIDDEN.iter().map(|call| (*call, Vec::new())).collect();
    let pretended = PRETENDED.iter().chain(&PRETENDED_HERE).map(|call| (*call, Vec::new())).collect();
    // Of several filters the strictest answer counts. The list comes last: it closes `seccomp` itself.
    let pretending = SeccompFilter::new(pretended, SeccompAction::Allow, SeccompAction::Errno(0), target)?;
    let denying = SeccompFilter::new(forbidden, SeccompAction::Allow, denied, target)?;
    let allowing = SeccompFilter::new(allowed, missing, SeccompAction::Allow, target)?;
    Ok(vec![pretending.try_into()?, denying.try_into()?, allowing.try_into()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_can_be_made_and_no_call_is_listed_twice() {
        assert_eq!(programs().expect("three filters").len(), 3);
        let mut all: Vec<_> = listed().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn what_leads_out_is_not_listed() {
        for call in [
            libc::SYS_connect,
            libc::SYS_bind,
            libc::SYS_setns,
            libc::SYS_clone3,
            libc::SYS_io_uring_setup,
            libc::SYS_keyctl,
            libc::SYS_open_by_handle_at,
            libc::SYS_perf_event_open,
            libc::SYS_pidfd_getfd,
            libc::SYS_process_vm_writev,
            libc::SYS_userfaultfd,
            libc::SYS_personality,
            libc::SYS_seccomp,
        ] {
            assert!(!ALLOWED.contains(&call) && !ALLOWED_HERE.contains(&call), "{call}");
        }
    }
}
