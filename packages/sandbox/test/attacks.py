# Attacks on what lies around a command. Each says REACHED where it succeeds, and why not where it fails.
import ctypes, errno, fcntl, os, platform, socket, sys

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
ARM = platform.machine() == 'aarch64'


def system_call(x64, arm64, *arguments):
    result = libc.syscall(arm64 if ARM else x64, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def read_from(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(5)
        client.connect(address)
        return client.recv(100).decode()


def loopback(port):
    return read_from(socket.AF_INET, ('127.0.0.1', int(port)))


def unix_socket(path):
    return read_from(socket.AF_UNIX, path)


def abstract_socket(name):
    return read_from(socket.AF_UNIX, '\0' + name)


def shared_memory(key):
    segment = libc.shmget(int(key), 0, 0)
    if segment < 0:
        raise OSError(ctypes.get_errno(), 'no such segment')
    return ctypes.string_at(libc.shmat(segment, None, 0o10000))


def large_segment():
    segment = libc.shmget(0, 1 << 20, 0o600)
    if segment < 0:
        raise OSError(ctypes.get_errno(), 'no segment')
    libc.shmctl(segment, 0, None)


def io_uring():
    system_call(425, 425, 4, ctypes.create_string_buffer(120))


def vsock():
    socket.socket(40, socket.SOCK_STREAM, 0).close()


def packet_sockets():
    socket.socket(17, socket.SOCK_RAW, 0).close()


def netlink_audit():
    socket.socket(16, socket.SOCK_RAW, 9).close()


def keyring():
    system_call(250, 219, 0, -3, 1)


def new_key():
    system_call(248, 217, b'user', b'issuewright-test', b'x', 1, -2)


def bpf():
    system_call(321, 280, 0, ctypes.create_string_buffer(128), 128)


def perf():
    attributes = bytearray(128)
    attributes[0:4] = (1).to_bytes(4, 'little')
    attributes[4:8] = (128).to_bytes(4, 'little')
    attributes[40] = 0x60
    buffer = (ctypes.c_char * 128).from_buffer(attributes)
    system_call(298, 241, buffer, 0, -1, -1, 0)


def userfaultfd():
    system_call(323, 282, 1)


def ptrace():
    system_call(101, 117, 0, 0, 0, 0)


def memfd():
    system_call(319, 279, b'hidden', 0)


def hidden_memory():
    system_call(447, 447, 0)


def user_namespace():
    if os.fork() == 0:
        os._exit(0 if libc.unshare(0x10000000) == 0 else 1)
    if os.wait()[1] != 0:
        raise OSError(errno.EPERM, 'denied')


def cloned_namespace():
    child = system_call(56, 220, 0x10000000 | 17, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)


def clone3():
    system_call(435, 435, 0, 0)


def typed_ahead():
    master, slave = os.openpty()
    if os.fork() == 0:
        os.setsid()
        fcntl.ioctl(slave, 0x540E, 0)
        try:
            fcntl.ioctl(slave, 0x5412, b'x')
        except OSError as error:
            os._exit(error.errno)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.wait()[1])
    if status != 0:
        raise OSError(status, os.strerror(status))


def first_process():
    with open('/proc/1/mem', 'rb+', 0):
        pass


def namespaces_of_others(pid):
    with open(f'/proc/{pid}/ns/mnt') as namespace:
        libc.setns(namespace.fileno(), 0)


try:
    print('REACHED', globals()[sys.argv[1]](*sys.argv[2:]))
except OSError as error:
    print('denied:', error)
